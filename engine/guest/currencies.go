package guest

// currencies are ISO 4217's codes: the digits behind the point, the symbol in en-US, in en-GB, and the narrow one, and what one
// and several are called.
const currencies = "\n" +
	"AED\t2|AED|AED|AED|UAE dirham|UAE dirhams\n" +
	"AFN\t0|AFN|AFN|؋|Afghan Afghani|Afghan Afghanis\n" +
	"ALL\t0|ALL|ALL|ALL|Albanian lek|Albanian lekë\n" +
	"AMD\t2|AMD|AMD|֏|Armenian dram|Armenian drams\n" +
	"ANG\t2|ANG|ANG|ANG|Netherlands Antillean guilder|Netherlands Antillean guilders\n" +
	"AOA\t2|AOA|AOA|Kz|Angolan kwanza|Angolan kwanzas\n" +
	"ARS\t2|ARS|ARS|$|Argentine peso|Argentine pesos\n" +
	"AUD\t2|A$|A$|$|Australian dollar|Australian dollars\n" +
	"AWG\t2|AWG|AWG|AWG|Aruban florin|Aruban florin\n" +
	"AZN\t2|AZN|AZN|₼|Azerbaijani manat|Azerbaijani manats\n" +
	"BAM\t2|BAM|BAM|KM|Bosnia-Herzegovina convertible mark|Bosnia-Herzegovina convertible marks\n" +
	"BBD\t2|BBD|BBD|$|Barbadian dollar|Barbadian dollars\n" +
	"BDT\t2|BDT|BDT|৳|Bangladeshi taka|Bangladeshi takas\n" +
	"BGN\t2|BGN|BGN|BGN|Bulgarian lev|Bulgarian leva\n" +
	"BHD\t3|BHD|BHD|BHD|Bahraini dinar|Bahraini dinars\n" +
	"BIF\t0|BIF|BIF|BIF|Burundian franc|Burundian francs\n" +
	"BMD\t2|BMD|BMD|$|Bermudan dollar|Bermudan dollars\n" +
	"BND\t2|BND|BND|$|Brunei dollar|Brunei dollars\n" +
	"BOB\t2|BOB|BOB|Bs|Bolivian boliviano|Bolivian bolivianos\n" +
	"BRL\t2|R$|R$|R$|Brazilian real|Brazilian reals\n" +
	"BSD\t2|BSD|BSD|$|Bahamian dollar|Bahamian dollars\n" +
	"BTN\t2|BTN|BTN|BTN|Bhutanese ngultrum|Bhutanese ngultrums\n" +
	"BWP\t2|BWP|BWP|P|Botswanan pula|Botswanan pulas\n" +
	"BYN\t2|BYN|BYN|BYN|Belarusian ruble|Belarusian rubles\n" +
	"BZD\t2|BZD|BZD|$|Belize dollar|Belize dollars\n" +
	"CAD\t2|CA$|CA$|$|Canadian dollar|Canadian dollars\n" +
	"CDF\t2|CDF|CDF|CDF|Congolese franc|Congolese francs\n" +
	"CHF\t2|CHF|CHF|CHF|Swiss franc|Swiss francs\n" +
	"CLP\t0|CLP|CLP|$|Chilean peso|Chilean pesos\n" +
	"CNY\t2|CN¥|CN¥|¥|Chinese yuan|Chinese yuan\n" +
	"COP\t0|COP|COP|$|Colombian peso|Colombian pesos\n" +
	"CRC\t2|CRC|CRC|₡|Costa Rican colón|Costa Rican colóns\n" +
	"CUC\t2|CUC|CUC|$|Cuban convertible peso|Cuban convertible pesos\n" +
	"CUP\t2|CUP|CUP|$|Cuban peso|Cuban pesos\n" +
	"CVE\t2|CVE|CVE|CVE|Cape Verdean escudo|Cape Verdean escudos\n" +
	"CZK\t2|CZK|CZK|Kč|Czech koruna|Czech korunas\n" +
	"DJF\t0|DJF|DJF|DJF|Djiboutian franc|Djiboutian francs\n" +
	"DKK\t2|DKK|DKK|kr|Danish krone|Danish kroner\n" +
	"DOP\t2|DOP|DOP|$|Dominican peso|Dominican pesos\n" +
	"DZD\t2|DZD|DZD|DZD|Algerian dinar|Algerian dinars\n" +
	"EGP\t2|EGP|EGP|E£|Egyptian pound|Egyptian pounds\n" +
	"ERN\t2|ERN|ERN|ERN|Eritrean nakfa|Eritrean nakfas\n" +
	"ETB\t2|ETB|ETB|ETB|Ethiopian birr|Ethiopian birrs\n" +
	"EUR\t2|€|€|€|euro|euros\n" +
	"FJD\t2|FJD|FJD|$|Fijian dollar|Fijian dollars\n" +
	"FKP\t2|FKP|FKP|£|Falkland Islands pound|Falkland Islands pounds\n" +
	"GBP\t2|£|£|£|British pound|British pounds\n" +
	"GEL\t2|GEL|GEL|₾|Georgian lari|Georgian laris\n" +
	"GHS\t2|GHS|GHS|GH₵|Ghanaian cedi|Ghanaian cedis\n" +
	"GIP\t2|GIP|GIP|£|Gibraltar pound|Gibraltar pounds\n" +
	"GMD\t2|GMD|GMD|GMD|Gambian dalasi|Gambian dalasis\n" +
	"GNF\t0|GNF|GNF|FG|Guinean franc|Guinean francs\n" +
	"GTQ\t2|GTQ|GTQ|Q|Guatemalan quetzal|Guatemalan quetzals\n" +
	"GYD\t2|GYD|GYD|$|Guyanaese dollar|Guyanaese dollars\n" +
	"HKD\t2|HK$|HK$|$|Hong Kong dollar|Hong Kong dollars\n" +
	"HNL\t2|HNL|HNL|L|Honduran lempira|Honduran lempiras\n" +
	"HRK\t2|HRK|HRK|kn|Croatian kuna|Croatian kunas\n" +
	"HTG\t2|HTG|HTG|HTG|Haitian gourde|Haitian gourdes\n" +
	"HUF\t0|HUF|HUF|Ft|Hungarian forint|Hungarian forints\n" +
	"IDR\t0|IDR|IDR|Rp|Indonesian rupiah|Indonesian rupiahs\n" +
	"ILS\t2|₪|₪|₪|Israeli new shekel|Israeli new shekels\n" +
	"INR\t2|₹|₹|₹|Indian rupee|Indian rupees\n" +
	"IQD\t0|IQD|IQD|IQD|Iraqi dinar|Iraqi dinars\n" +
	"IRR\t0|IRR|IRR|IRR|Iranian rial|Iranian rials\n" +
	"ISK\t0|ISK|ISK|kr|Icelandic króna|Icelandic krónur\n" +
	"JMD\t2|JMD|JMD|$|Jamaican dollar|Jamaican dollars\n" +
	"JOD\t3|JOD|JOD|JOD|Jordanian dinar|Jordanian dinars\n" +
	"JPY\t0|¥|JP¥|¥|Japanese yen|Japanese yen\n" +
	"KES\t2|KES|KES|KES|Kenyan shilling|Kenyan shillings\n" +
	"KGS\t2|KGS|KGS|⃀|Kyrgyz som|Kyrgyz soms\n" +
	"KHR\t2|KHR|KHR|៛|Cambodian riel|Cambodian riels\n" +
	"KMF\t0|KMF|KMF|CF|Comorian franc|Comorian francs\n" +
	"KPW\t0|KPW|KPW|₩|North Korean won|North Korean won\n" +
	"KRW\t0|₩|₩|₩|South Korean won|South Korean won\n" +
	"KWD\t3|KWD|KWD|KWD|Kuwaiti dinar|Kuwaiti dinars\n" +
	"KYD\t2|KYD|KYD|$|Cayman Islands dollar|Cayman Islands dollars\n" +
	"KZT\t2|KZT|KZT|₸|Kazakhstani tenge|Kazakhstani tenges\n" +
	"LAK\t0|LAK|LAK|₭|Laotian kip|Laotian kips\n" +
	"LBP\t0|LBP|LBP|L£|Lebanese pound|Lebanese pounds\n" +
	"LKR\t2|LKR|LKR|Rs|Sri Lankan rupee|Sri Lankan rupees\n" +
	"LRD\t2|LRD|LRD|$|Liberian dollar|Liberian dollars\n" +
	"LSL\t2|LSL|LSL|LSL|Lesotho loti|Lesotho lotis\n" +
	"LYD\t3|LYD|LYD|LYD|Libyan dinar|Libyan dinars\n" +
	"MAD\t2|MAD|MAD|MAD|Moroccan dirham|Moroccan dirhams\n" +
	"MDL\t2|MDL|MDL|MDL|Moldovan leu|Moldovan lei\n" +
	"MGA\t0|MGA|MGA|Ar|Malagasy ariary|Malagasy ariaries\n" +
	"MKD\t2|MKD|MKD|MKD|Macedonian denar|Macedonian denari\n" +
	"MMK\t0|MMK|MMK|K|Myanmar kyat|Myanmar kyats\n" +
	"MNT\t2|MNT|MNT|₮|Mongolian tugrik|Mongolian tugriks\n" +
	"MOP\t2|MOP|MOP|MOP|Macanese pataca|Macanese patacas\n" +
	"MRU\t2|MRU|MRU|MRU|Mauritanian ouguiya|Mauritanian ouguiyas\n" +
	"MUR\t2|MUR|MUR|Rs|Mauritian rupee|Mauritian rupees\n" +
	"MVR\t2|MVR|MVR|MVR|Maldivian rufiyaa|Maldivian rufiyaas\n" +
	"MWK\t2|MWK|MWK|MWK|Malawian kwacha|Malawian kwachas\n" +
	"MXN\t2|MX$|MX$|$|Mexican peso|Mexican pesos\n" +
	"MYR\t2|MYR|MYR|RM|Malaysian ringgit|Malaysian ringgits\n" +
	"MZN\t2|MZN|MZN|MZN|Mozambican metical|Mozambican meticals\n" +
	"NAD\t2|NAD|NAD|$|Namibian dollar|Namibian dollars\n" +
	"NGN\t2|NGN|NGN|₦|Nigerian naira|Nigerian nairas\n" +
	"NIO\t2|NIO|NIO|C$|Nicaraguan córdoba|Nicaraguan córdobas\n" +
	"NOK\t2|NOK|NOK|kr|Norwegian krone|Norwegian kroner\n" +
	"NPR\t2|NPR|NPR|Rs|Nepalese rupee|Nepalese rupees\n" +
	"NZD\t2|NZ$|NZ$|$|New Zealand dollar|New Zealand dollars\n" +
	"OMR\t3|OMR|OMR|OMR|Omani rial|Omani rials\n" +
	"PAB\t2|PAB|PAB|PAB|Panamanian balboa|Panamanian balboas\n" +
	"PEN\t2|PEN|PEN|PEN|Peruvian sol|Peruvian soles\n" +
	"PGK\t2|PGK|PGK|PGK|Papua New Guinean kina|Papua New Guinean kina\n" +
	"PHP\t2|₱|₱|₱|Philippine peso|Philippine pesos\n" +
	"PKR\t0|PKR|PKR|Rs|Pakistani rupee|Pakistani rupees\n" +
	"PLN\t2|PLN|PLN|zł|Polish zloty|Polish zlotys\n" +
	"PYG\t0|PYG|PYG|₲|Paraguayan guarani|Paraguayan guaranis\n" +
	"QAR\t2|QAR|QAR|QAR|Qatari riyal|Qatari riyals\n" +
	"RON\t2|RON|RON|lei|Romanian leu|Romanian lei\n" +
	"RSD\t2|RSD|RSD|RSD|Serbian dinar|Serbian dinars\n" +
	"RUB\t2|RUB|RUB|₽|Russian ruble|Russian rubles\n" +
	"RWF\t0|RWF|RWF|RF|Rwandan franc|Rwandan francs\n" +
	"SAR\t2|SAR|SAR|SAR|Saudi riyal|Saudi riyals\n" +
	"SBD\t2|SBD|SBD|$|Solomon Islands dollar|Solomon Islands dollars\n" +
	"SCR\t2|SCR|SCR|SCR|Seychellois rupee|Seychellois rupees\n" +
	"SDG\t2|SDG|SDG|SDG|Sudanese pound|Sudanese pounds\n" +
	"SEK\t2|SEK|SEK|kr|Swedish krona|Swedish kronor\n" +
	"SGD\t2|SGD|SGD|$|Singapore dollar|Singapore dollars\n" +
	"SHP\t2|SHP|SHP|£|St. Helena pound|St. Helena pounds\n" +
	"SLE\t2|SLE|SLE|SLE|Sierra Leonean leone|Sierra Leonean leones\n" +
	"SLL\t0|SLL|SLL|SLL|Sierra Leonean leone (1964—2022)|Sierra Leonean leones (1964—2022)\n" +
	"SOS\t0|SOS|SOS|SOS|Somali shilling|Somali shillings\n" +
	"SRD\t2|SRD|SRD|$|Surinamese dollar|Surinamese dollars\n" +
	"SSP\t2|SSP|SSP|£|South Sudanese pound|South Sudanese pounds\n" +
	"STN\t2|STN|STN|Db|São Tomé & Príncipe dobra|São Tomé & Príncipe dobras\n" +
	"SVC\t2|SVC|SVC|SVC|Salvadoran colón|Salvadoran colones\n" +
	"SYP\t0|SYP|SYP|£|Syrian pound|Syrian pounds\n" +
	"SZL\t2|SZL|SZL|SZL|Swazi lilangeni|Swazi emalangeni\n" +
	"THB\t2|THB|THB|฿|Thai baht|Thai baht\n" +
	"TJS\t2|TJS|TJS|TJS|Tajikistani somoni|Tajikistani somonis\n" +
	"TMT\t2|TMT|TMT|TMT|Turkmenistani manat|Turkmenistani manat\n" +
	"TND\t3|TND|TND|TND|Tunisian dinar|Tunisian dinars\n" +
	"TOP\t2|TOP|TOP|T$|Tongan paʻanga|Tongan paʻanga\n" +
	"TRY\t2|TRY|TRY|₺|Turkish lira|Turkish Lira\n" +
	"TTD\t2|TTD|TTD|$|Trinidad & Tobago dollar|Trinidad & Tobago dollars\n" +
	"TWD\t2|NT$|NT$|$|New Taiwan dollar|New Taiwan dollars\n" +
	"TZS\t2|TZS|TZS|TZS|Tanzanian shilling|Tanzanian shillings\n" +
	"UAH\t2|UAH|UAH|₴|Ukrainian hryvnia|Ukrainian hryvnias\n" +
	"UGX\t0|UGX|UGX|UGX|Ugandan shilling|Ugandan shillings\n" +
	"USD\t2|$|US$|$|US dollar|US dollars\n" +
	"UYU\t2|UYU|UYU|$|Uruguayan peso|Uruguayan pesos\n" +
	"UZS\t2|UZS|UZS|UZS|Uzbekistani som|Uzbekistani som\n" +
	"VES\t2|VES|VES|VES|Venezuelan bolívar|Venezuelan bolívars\n" +
	"VND\t0|₫|₫|₫|Vietnamese dong|Vietnamese dong\n" +
	"VUV\t0|VUV|VUV|VUV|Vanuatu vatu|Vanuatu vatus\n" +
	"WST\t2|WST|WST|WST|Samoan tala|Samoan tala\n" +
	"XAF\t0|FCFA|FCFA|FCFA|Central African CFA franc|Central African CFA francs\n" +
	"XCD\t2|EC$|EC$|$|East Caribbean dollar|East Caribbean dollars\n" +
	"XCG\t2|Cg.|Cg.|Cg.|Caribbean guilder|Caribbean guilders\n" +
	"XDR\t2|XDR|XDR|XDR|special drawing rights|special drawing rights\n" +
	"XOF\t0|F CFA|F CFA|F CFA|West African CFA franc|West African CFA francs\n" +
	"XPF\t0|CFPF|CFPF|CFPF|CFP franc|CFP francs\n" +
	"XSU\t2|XSU|XSU|XSU|Sucre|Sucres\n" +
	"YER\t0|YER|YER|YER|Yemeni rial|Yemeni rials\n" +
	"ZAR\t2|ZAR|ZAR|R|South African rand|South African rand\n" +
	"ZMW\t2|ZMW|ZMW|ZK|Zambian kwacha|Zambian kwachas\n" +
	"ZWG\t2|ZWG|ZWG|ZWG|Zimbabwean gold|Zimbabwean gold\n" +
	"ZWL\t2|ZWL|ZWL|ZWL|Zimbabwean dollar (2009–2024)|Zimbabwean dollars (2009–2024)\n"
