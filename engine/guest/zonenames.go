package guest

// zoneNames says how zones are called in English today. A line is standard|daylight|short names|generic, a tab, and the zones
// with ";" between them, each with "=" and the place that it is called by if that is not the last part of its name, and with "@"
// and the time since when it has these names, in seconds to the base 36. Short names are regions:standard,daylight,generic.
const zoneNames = `Greenwich Mean Time|British Summer Time|*:GMT,,|Greenwich Mean Time	Africa/Abidjan=GMT@1;Africa/Accra=GMT@1;Africa/Bamako=GMT@1;Africa/Banjul=GMT@1;Africa/Bissau=GMT@2lxk40;Africa/Conakry=GMT@1;Africa/Dakar=GMT@1;Africa/Freetown=GMT@1;Africa/Lome=GMT@1;Africa/Monrovia=GMT@11v0r0;Africa/Nouakchott=GMT@1;Africa/Ouagadougou=GMT@1;Africa/Sao_Tome=GMT@pkmo40;America/Danmarkshavn=GMT@dkhf00;Atlantic/Reykjavik=GMT@1;Atlantic/St_Helena=GMT@1
East Africa Time||ZA:EAT,,EAT|East Africa Time	Africa/Addis_Ababa=Ethiopia@1;Africa/Asmera=Eritrea@1;Africa/Dar_es_Salaam=Tanzania@1;Africa/Djibouti@1;Africa/Kampala=Uganda@1;Africa/Mogadishu=Somalia@1;Africa/Nairobi=Kenya@1;Indian/Antananarivo=Madagascar@1;Indian/Comoro=Comoros@1;Indian/Mayotte@1
Central European Standard Time|Central European Summer Time|GB 150:CET,,CET|Central European Standard Time	Africa/Algiers=Algeria@5wuyo0;Africa/Tunis=Tunisia@1
West Africa Time||ZA:WAT,,WAT|West Africa Time	Africa/Bangui=Central African Republic@1;Africa/Brazzaville=Congo - Brazzaville@1;Africa/Douala=Cameroon@1;Africa/Kinshasa@1;Africa/Lagos=Nigeria@1;Africa/Libreville=Gabon@1;Africa/Luanda=Angola@1;Africa/Malabo=Equatorial Guinea@1;Africa/Ndjamena=Chad@5bavs0;Africa/Niamey=Niger@1;Africa/Porto-Novo=Benin@1
Central Africa Time||ZA:CAT,,CAT|Central Africa Time	Africa/Blantyre=Malawi@1;Africa/Bujumbura=Burundi@1;Africa/Gaborone=Botswana@1;Africa/Harare=Zimbabwe@1;Africa/Juba=South Sudan@qnth00;Africa/Khartoum=Sudan@oyph00;Africa/Kigali=Rwanda@1;Africa/Lubumbashi@1;Africa/Lusaka=Zambia@1;Africa/Maputo=Mozambique@1;Africa/Windhoek=Namibia@oyaqg0
Eastern European Standard Time|Eastern European Summer Time|GB 150:EET,EEST,EET|Eastern European Time	Africa/Cairo=Egypt@1;Asia/Beirut=Lebanon@1;Asia/Famagusta@oyk841;Asia/Gaza@dkh140;Asia/Hebron@dkh140;Asia/Nicosia@1;Europe/Athens=Greece@1;Europe/Bucharest=Romania@1;Europe/Chisinau=Moldova@am73s1;Europe/Helsinki=Finland@1;Europe/Kiev=Ukraine@ap2t40;Europe/Mariehamn=Åland Islands@1;Europe/Riga=Latvia@a1bbw0;Europe/Sofia=Bulgaria@1;Europe/Tallinn=Estonia@a1bbw0;Europe/Vilnius=Lithuania@fkg041
|||	Africa/Casablanca=Morocco;Africa/El_Aaiun=Western Sahara;America/Coyhaique;America/Punta_Arenas;Antarctica/Palmer=Palmer Land;Asia/Amman=Jordan;Asia/Damascus=Syria;Asia/Urumqi=Ürümqi;Pacific/Bougainville
|||GMT-01:00	Etc/GMT+1=GMT-1
|||GMT-10:00	Etc/GMT+10=GMT-10
|||GMT-11:00	Etc/GMT+11=GMT-11
|||GMT-12:00	Etc/GMT+12=GMT-12
|||GMT-02:00	Etc/GMT+2=GMT-2
|||GMT-03:00	Etc/GMT+3=GMT-3
|||GMT-04:00	Etc/GMT+4=GMT-4
|||GMT-05:00	Etc/GMT+5=GMT-5
|||GMT-06:00	Etc/GMT+6=GMT-6
|||GMT-07:00	Etc/GMT+7=GMT-7
|||GMT-08:00	Etc/GMT+8=GMT-8
|||GMT-09:00	Etc/GMT+9=GMT-9
|||GMT+01:00	Etc/GMT-1=GMT+1
|||GMT+10:00	Etc/GMT-10=GMT+10
|||GMT+11:00	Etc/GMT-11=GMT+11
|||GMT+12:00	Etc/GMT-12=GMT+12
|||GMT+13:00	Etc/GMT-13=GMT+13
|||GMT+14:00	Etc/GMT-14=GMT+14
|||GMT+02:00	Etc/GMT-2=GMT+2
|||GMT+03:00	Etc/GMT-3=GMT+3
|||GMT+04:00	Etc/GMT-4=GMT+4
|||GMT+05:00	Etc/GMT-5=GMT+5
|||GMT+06:00	Etc/GMT-6=GMT+6
|||GMT+07:00	Etc/GMT-7=GMT+7
|||GMT+08:00	Etc/GMT-8=GMT+8
|||GMT+09:00	Etc/GMT-9=GMT+9
Central European Standard Time|Central European Summer Time|GB 150:CET,CEST,CET|Central European Time	Africa/Ceuta@7eveo0;Arctic/Longyearbyen=Svalbard & Jan Mayen@1;Europe/Brussels=Belgium@1;Europe/Amsterdam=Netherlands@1;Europe/Andorra@1;Europe/Belgrade=Serbia@1;Europe/Berlin=Germany@1;Europe/Bratislava=Slovakia@1;Europe/Budapest=Hungary@1;Europe/Busingen=Büsingen@1;Europe/Copenhagen=Denmark@1;Europe/Gibraltar@1;Europe/Ljubljana=Slovenia@1;Europe/Luxembourg@1;Europe/Madrid=Spain@1;Europe/Malta@1;Europe/Monaco@1;Europe/Oslo=Norway@1;Europe/Paris=France@1;Europe/Podgorica=Montenegro@1;Europe/Prague=Czechia@1;Europe/Rome=Italy@1;Europe/San_Marino@1;Europe/Sarajevo=Bosnia & Herzegovina@1;Europe/Skopje=North Macedonia@1;Europe/Stockholm=Sweden@1;Europe/Tirane=Albania@1;Europe/Vaduz=Liechtenstein@1;Europe/Vatican=Vatican City@1;Europe/Vienna=Austria@1;Europe/Warsaw=Poland@1;Europe/Zagreb=Croatia@1;Europe/Zurich=Switzerland@1
South Africa Standard Time||ZA:SAST,,SAST|South Africa Standard Time	Africa/Johannesburg=South Africa@1;Africa/Maseru=Lesotho@1;Africa/Mbabane=Eswatini@1
Eastern European Standard Time|Eastern European Summer Time|GB 150:EET,,EET|Eastern European Standard Time	Africa/Tripoli=Libya@mv76o0;Europe/Kaliningrad@ne0vw0
Hawaii-Aleutian Standard Time|Hawaii-Aleutian Daylight Time|US CA:HAST,HADT,HAT|Hawaii-Aleutian Time	America/Adak@79e140
Alaska Standard Time|Alaska Daylight Time|US CA:AKST,AKDT,AKT|Alaska Time	America/Anchorage@79dyc0;America/Juneau@79dyc0;America/Metlakatla@plmjs0;America/Nome@79dyc0;America/Sitka@79dyc0;America/Yakutat@79dyc0
Atlantic Standard Time|Atlantic Daylight Time|US CA:AST,,AST|Atlantic Standard Time	America/Anguilla@1;America/Antigua=Antigua & Barbuda@1;America/Aruba@1;America/Barbados@1;America/Blanc-Sablon@1;America/Curacao=Curaçao@1;America/Dominica@1;America/Grenada@1;America/Guadeloupe@1;America/Kralendijk=Caribbean Netherlands@1;America/Lower_Princes=Sint Maarten@1;America/Marigot=St Martin@1;America/Martinique@1;America/Montserrat@1;America/Port_of_Spain=Trinidad & Tobago@1;America/Puerto_Rico@1;America/Santo_Domingo=Dominican Republic@g4za00;America/St_Barthelemy=St Barthélemy@1;America/St_Kitts=St Kitts & Nevis@1;America/St_Lucia@1;America/St_Thomas=US Virgin Islands@1;America/St_Vincent=St Vincent & the Grenadines@1;America/Tortola=British Virgin Islands@1
Brasilia Standard Time|Brasilia Summer Time||Brasilia Standard Time	America/Araguaina=Araguaína@1;America/Bahia@1;America/Belem=Belém@1;America/Fortaleza@1;America/Maceio=Maceió@1;America/Recife@1;America/Santarem=Santarém@k2y8g0;America/Sao_Paulo=São Paulo@1
Argentina Standard Time|Argentina Summer Time||Argentina Standard Time	America/Buenos_Aires@1;America/Catamarca@hzl9s0;America/Cordoba=Córdoba@bdkr40;America/Jujuy@bcuts1;America/Argentina/La_Rioja@hzl9s0;America/Mendoza@i4mr40;America/Argentina/Rio_Gallegos=Río Gallegos@hzl9s0;America/Argentina/Salta@bdkr40;America/Argentina/San_Juan@i1e340;America/Argentina/San_Luis@krc0g1;America/Argentina/Tucuman=Tucumán@bdkr40;America/Argentina/Ushuaia@hzl9s0
Paraguay Standard Time|Paraguay Summer Time||Paraguay Standard Time	America/Asuncion=Paraguay@1
Eastern Standard Time|Eastern Daylight Time|US CA:EST,,EST|Eastern Standard Time	America/Coral_Harbour=Atikokan@1;America/Cancun=Cancún@nj3280;America/Cayman=Cayman Islands@1;America/Jamaica@1;America/Panama@1
Central Standard Time|Central Daylight Time|US CA:CST,,CST|Central Standard Time	America/Bahia_Banderas=Bahía de Banderas@l0ch00;America/Belize@1;America/Chihuahua@rkk3k0;America/Costa_Rica@1;America/El_Salvador@1;America/Guatemala@1;America/Managua=Nicaragua@e3bck0;America/Merida=Mérida@6p60s0;America/Mexico_City@1;America/Monterrey@1;America/Regina@1;America/Swift_Current@17qro0;America/Tegucigalpa=Honduras@1
Amazon Standard Time|Amazon Summer Time||Amazon Standard Time	America/Boa_Vista@1;America/Campo_Grande@1;America/Cuiaba=Cuiabá@1;America/Manaus@1;America/Porto_Velho@1
Colombia Standard Time|Colombia Summer Time||Colombia Standard Time	America/Bogota=Colombia@1
Mountain Standard Time|Mountain Daylight Time|US CA:MST,MDT,MT|Mountain Time	America/Boise@1;America/Cambridge_Bay@gb3vo0;America/Ciudad_Juarez=Ciudad Juárez@rm5co1;America/Denver@1;America/Edmonton@1;America/Inuvik@4v6bs0
Venezuela Time|||	America/Caracas=Venezuela@1
French Guiana Time|||	America/Cayenne=French Guiana@1
Central Standard Time|Central Daylight Time|US CA:CST,CDT,CT|Central Time	America/Chicago@1;America/Indiana/Knox=Knox, Indiana@ix3240;America/Indiana/Tell_City=Tell City, Indiana@ix3240;America/Matamoros@1;America/Menominee@1qgos1;America/North_Dakota/Beulah=Beulah, North Dakota@lbi8w0;America/North_Dakota/Center=Center, North Dakota@bwo3k0;America/North_Dakota/New_Salem=New Salem, North Dakota@hncu81;America/Ojinaga@rkk3k0;America/Winnipeg@1;America/Rankin_Inlet@gb3sw0;America/Resolute@jeqbk0
Mountain Standard Time|Mountain Daylight Time|US CA:MST,,MST|Mountain Standard Time	America/Creston@1;America/Dawson_Creek@1e0p00;America/Fort_Nelson@nkw141;America/Phoenix@1
Yukon Time|Pacific Daylight Time||Yukon Time	America/Dawson@q6vd41;America/Whitehorse@q6vd41
Eastern Standard Time|Eastern Daylight Time|US CA:EST,EDT,ET|Eastern Time	America/Detroit@1;America/Indianapolis@1;America/Grand_Turk=Turks & Caicos Islands@p5ezg1;America/Indiana/Marengo=Marengo, Indiana@2ijss0;America/Indiana/Petersburg=Petersburg, Indiana@jqyzg1;America/Indiana/Vevay=Vevay, Indiana@1;America/Indiana/Vincennes=Vincennes, Indiana@jqyzg1;America/Indiana/Winamac=Winamac, Indiana@jeqbk0;America/Iqaluit@g36jg1;America/Louisville@2ijss0;America/Kentucky/Monticello=Monticello, Kentucky@g36jg1;America/Toronto@1;America/Nassau=Bahamas@1;America/New_York@1;America/Port-au-Prince=Haiti@1
Acre Standard Time|Acre Summer Time||Acre Standard Time	America/Eirunepe=Eirunepé@mw14g0;America/Rio_Branco@mw14g0
Pacific Standard Time|Pacific Daylight Time|US CA:PST,PDT,PT|Pacific Time	America/Tijuana@1;America/Los_Angeles@1;America/Vancouver@1
Atlantic Standard Time|Atlantic Daylight Time|US CA:AST,ADT,AT|Atlantic Time	America/Glace_Bay@1;America/Goose_Bay@9trc9p;America/Halifax@1;America/Moncton@1;America/Thule@1;Atlantic/Bermuda@1
Greenland Standard Time|Greenland Summer Time||Greenland Time	America/Godthab=Nuuk@saxk41;America/Scoresbysund=Ittoqqortoormiit@sb6tg1
Ecuador Time|||	America/Guayaquil=Ecuador@c1yj41
Guyana Time|||	America/Guyana@1
Cuba Standard Time|Cuba Daylight Time||	America/Havana=Cuba@1
Mexican Pacific Standard Time|Mexican Pacific Daylight Time||Mexican Pacific Standard Time	America/Hermosillo@1;America/Mazatlan=Mazatlán@1
Bolivia Time|||	America/La_Paz=Bolivia@1
Peru Standard Time|Peru Summer Time||Peru Standard Time	America/Lima=Peru@1
St. Pierre & Miquelon Standard Time|St. Pierre & Miquelon Daylight Time|CA:PMST,PMDT,PMT|	America/Miquelon=St. Pierre & Miquelon@5e3cg1
Uruguay Standard Time|Uruguay Summer Time||Uruguay Standard Time	America/Montevideo=Uruguay@1
Fernando de Noronha Standard Time|Fernando de Noronha Summer Time||Fernando de Noronha Standard Time	America/Noronha=Fernando de Noronha@1
Suriname Time|||	America/Paramaribo=Suriname@32jwe1
Chile Standard Time|Chile Summer Time||	America/Santiago=Chile@1
Newfoundland Standard Time|Newfoundland Daylight Time|CA:NST,NDT,NT|Newfoundland Time	America/St_Johns=St. John’s@1
Australian Western Standard Time|Australian Western Daylight Time|AU NZ:AWST,,AWST|Australian Western Standard Time	Antarctica/Casey=Casey Station@rr7ls0;Australia/Perth@1
Davis Time|||	Antarctica/Davis@1
Dumont d’Urville Time|||Dumont d’Urville Time	Antarctica/DumontDUrville=Dumont d’Urville Station@1
Australian Eastern Standard Time|Australian Eastern Daylight Time|AU NZ:AEST,AEDT,AET|Australian Eastern Time	Antarctica/Macquarie=Macquarie Island@1;Australia/Sydney@1;Australia/Hobart@1;Australia/Melbourne@1
Mawson Time|||Mawson Time	Antarctica/Mawson=Mawson Station@1
New Zealand Standard Time|New Zealand Daylight Time|AU NZ:NZST,NZDT,NZT|New Zealand Time	Antarctica/McMurdo=McMurdo Station@1
New Zealand Standard Time|New Zealand Daylight Time|AU NZ:NZST,NZDT,NZT|	Pacific/Auckland=New Zealand@1
Rothera Time|||Rothera Time	Antarctica/Rothera=Rothera Station@1
Syowa Time|||Syowa Time	Antarctica/Syowa=Showa Station@1
Greenwich Mean Time||*:GMT,,|	Antarctica/Troll=Troll Station@t4ps40;Europe/Guernsey@t4ps40;Europe/Isle_of_Man@t4ps40;Europe/Jersey@t4ps40
Vostok Time|||Vostok Time	Antarctica/Vostok=Vostok Station@1
Arabian Standard Time|Arabian Daylight Time||Arabian Standard Time	Asia/Aden=Yemen@1;Asia/Baghdad=Iraq@1;Asia/Bahrain@19d0w1;Asia/Kuwait@1;Asia/Qatar@19d0w1;Asia/Riyadh=Saudi Arabia@1
Kazakhstan Time|Kyzylorda Summer Time||Kazakhstan Time	Asia/Almaty@s9mq00;Asia/Aqtau=Aktau@s9mq00;Asia/Aqtobe@s9mq00;Asia/Atyrau@s9mq00;Asia/Oral@s9mq00;Asia/Qostanay=Kostanay@s9mq00;Asia/Qyzylorda=Kyzylorda@s9mq00
Kamchatka Standard Time|Kamchatka Summer Time||Kamchatka Standard Time	Asia/Anadyr@lio700;Asia/Kamchatka@1
Turkmenistan Standard Time|||Turkmenistan Standard Time	Asia/Ashgabat=Turkmenistan@bi8t40
Azerbaijan Standard Time|Azerbaijan Summer Time||Azerbaijan Standard Time	Asia/Baku=Azerbaijan@b34d40
Indochina Time|||Indochina Time	Asia/Bangkok=Thailand@1;Asia/Saigon=Vietnam@2uaps1;Asia/Phnom_Penh=Cambodia@1;Asia/Vientiane=Laos@1
Krasnoyarsk Standard Time|Novosibirsk Summer Time||Krasnoyarsk Standard Time	Asia/Barnaul@o4nww1;Asia/Krasnoyarsk@lb4a40;Asia/Novokuznetsk@ne0ks1;Asia/Novosibirsk@oasa80;Asia/Tomsk@o7wkw0
Kyrgyzstan Time|||	Asia/Bishkek=Kyrgyzstan@il2ko0
Brunei Time|||	Asia/Brunei@1
India Standard Time||IN:IST,,IST|India Standard Time	Asia/Calcutta=India@1;Asia/Colombo=Sri Lanka@ixq621
Yakutsk Standard Time|Yakutsk Summer Time||Yakutsk Standard Time	Asia/Chita@o4nrc0;Asia/Khandyga@lreus0;Asia/Yakutsk@1
Ulaanbaatar Standard Time|Ulaanbaatar Summer Time||Ulaanbaatar Standard Time	Asia/Ulaanbaatar@1
China Standard Time|Macao Summer Time||China Standard Time	Asia/Shanghai=China@bbr380;Asia/Macau=Macao SAR China@fmzwg0
Bangladesh Standard Time|Bangladesh Summer Time||Bangladesh Standard Time	Asia/Dhaka=Bangladesh@n30o1
Timor-Leste Time|||	Asia/Dili=Timor-Leste@g0zls0
Gulf Standard Time||GB IN AE:GST,,GST|Gulf Standard Time	Asia/Dubai=United Arab Emirates@1;Asia/Muscat=Oman@1
Tajikistan Time|||	Asia/Dushanbe=Tajikistan@bbgac0
Hong Kong Standard Time|Hong Kong Summer Time|HK:HKT,,HKT|Hong Kong Standard Time	Asia/Hong_Kong=Hong Kong SAR China@1
Khovd Standard Time|Khovd Summer Time||Khovd Standard Time	Asia/Hovd=Khovd@1
Irkutsk Standard Time|Irkutsk Summer Time||Irkutsk Standard Time	Asia/Irkutsk@1
Türkiye Standard Time|Eastern European Summer Time||Türkiye Standard Time	Europe/Istanbul=Türkiye@o4oas0
Western Indonesia Time|||Western Indonesia Time	Asia/Jakarta@1;Asia/Pontianak@9e5gg1
Eastern Indonesia Time|||Eastern Indonesia Time	Asia/Jayapura@1
Israel Standard Time|Israel Daylight Time||	Asia/Jerusalem=Israel@1
Afghanistan Time|||	Asia/Kabul=Afghanistan@1
Pakistan Standard Time|Pakistan Summer Time||Pakistan Standard Time	Asia/Karachi=Pakistan@n33g1
Nepal Time|||	Asia/Katmandu=Nepal@1
Malaysia Time||SG:MYT,,MYT|	Asia/Kuala_Lumpur=Malaysia@69g1s0
Malaysia Time||SG:MYT,,MYT|Malaysia Time	Asia/Kuching@69g1s0
Magadan Standard Time|Magadan Summer Time||Magadan Standard Time	Asia/Magadan@1;Asia/Sakhalin@o690g0;Asia/Srednekolymsk@o63gg0
Central Indonesia Time|||Central Indonesia Time	Asia/Makassar@1
Philippine Standard Time|Philippine Summer Time||Philippine Standard Time	Asia/Manila=Philippines@1
Omsk Standard Time|Omsk Summer Time||Omsk Standard Time	Asia/Omsk@1
Korean Standard Time|Korean Daylight Time||Korean Standard Time	Asia/Pyongyang=North Korea@p87lo1;Asia/Seoul=South Korea@1
Myanmar Time|||Myanmar Time	Asia/Rangoon=Myanmar (Burma)@1
Uzbekistan Standard Time|Uzbekistan Summer Time||Uzbekistan Standard Time	Asia/Samarkand@bb18o0;Asia/Tashkent=Uzbekistan@b347k1
Singapore Standard Time||SG:SGT,,SGT|Singapore Standard Time	Asia/Singapore@1
Taiwan Standard Time|Taiwan Daylight Time||Taiwan Standard Time	Asia/Taipei=Taiwan@1
Georgia Standard Time|Georgia Summer Time||Georgia Standard Time	Asia/Tbilisi=Georgia@b34d40
Iran Standard Time|Iran Daylight Time||Iran Standard Time	Asia/Tehran=Iran@1
Bhutan Time|||	Asia/Thimphu=Bhutan@99fa20
Japan Standard Time|||Japan Standard Time	Asia/Tokyo=Japan@1
Vladivostok Standard Time|Vladivostok Summer Time||Vladivostok Standard Time	Asia/Ust-Nera@lres00;Asia/Vladivostok@1
Yekaterinburg Standard Time|Yekaterinburg Summer Time||Yekaterinburg Standard Time	Asia/Yekaterinburg@bi8t40
Armenia Standard Time|Armenia Summer Time||Armenia Standard Time	Asia/Yerevan=Armenia@b34d40
Azores Standard Time|Azores Summer Time||	Atlantic/Azores@c8qqs1
Western European Standard Time|Western European Summer Time|GB 150:WET,WEST,WET|Western European Time	Atlantic/Canary=Canaries@1;Atlantic/Faeroe=Faroe Islands@1;Atlantic/Madeira@1;Europe/Lisbon=Portugal@dp3xg0
Cape Verde Standard Time|||Cape Verde Standard Time	Atlantic/Cape_Verde@1
South Georgia Time|||South Georgia Time	Atlantic/South_Georgia=South Georgia & South Sandwich Islands@1
Falkland Islands Standard Time|Falkland Islands Summer Time||Falkland Islands Standard Time	Atlantic/Stanley=Falkland Islands@1
Australian Central Standard Time|Australian Central Daylight Time|AU NZ:ACST,ACDT,ACT|Australian Central Time	Australia/Adelaide@1;Australia/Broken_Hill@1
Australian Eastern Standard Time|Australian Eastern Daylight Time|AU NZ:AEST,,AEST|Australian Eastern Standard Time	Australia/Brisbane@1;Australia/Lindeman@1
Australian Central Standard Time|Australian Central Daylight Time|AU NZ:ACST,,ACST|Australian Central Standard Time	Australia/Darwin@1
Australian Central Western Standard Time|Australian Central Western Daylight Time|AU NZ:ACWST,,ACWST|Australian Central Western Standard Time	Australia/Eucla@1
Lord Howe Standard Time|Lord Howe Daylight Time|AU NZ:LHST,LHDT,LHT|Lord Howe Time	Australia/Lord_Howe=Lord Howe Island@5tp880
Easter Island Standard Time|Easter Island Summer Time||	Pacific/Easter=Easter Island@1
Greenwich Mean Time|Irish Standard Time|IE:GMT,IST,|	Europe/Dublin=Ireland@yd6w1
Coordinated Universal Time||*:UTC,,|GMT+00:00	UTC=GMT+0
Samara Standard Time|Moscow Summer Time||Samara Standard Time	Europe/Astrakhan@o4o581;Europe/Samara@lb4l80;Europe/Saratov@ohmt80;Europe/Ulyanovsk@o4o581
Greenwich Mean Time|British Summer Time|GB:GMT,BST,|	Europe/London=United Kingdom@yd6w1
Moscow Standard Time|Volgograd Summer Time||Moscow Standard Time	Europe/Kirov@ne0t40;Europe/Minsk=Belarus@ne2ns1;Europe/Moscow@lb4l80;Europe/Simferopol@n382o0;Europe/Volgograd@qlyvs0
Hawaii-Aleutian Standard Time|Hawaii-Aleutian Daylight Time|US CA:HST,,HST|Hawaii-Aleutian Standard Time	Pacific/Honolulu@1
Indian Ocean Time|||Indian Ocean Time	Indian/Chagos=British Indian Ocean Territory@1
Christmas Island Time|||	Indian/Christmas=Christmas Island@1
Cocos Islands Time|||Cocos Islands Time	Indian/Cocos=Cocos (Keeling) Islands@1
French Southern & Antarctic Time|||French Southern & Antarctic Time	Indian/Kerguelen=French Southern Territories@1
Seychelles Time|||	Indian/Mahe=Seychelles@1
Maldives Time|||	Indian/Maldives@1
Mauritius Standard Time|Mauritius Summer Time||Mauritius Standard Time	Indian/Mauritius@1
Réunion Time|||	Indian/Reunion=Réunion@1
Marshall Islands Time|||Marshall Islands Time	Pacific/Kwajalein=Kwajalein Atoll@cc3yo0
Marshall Islands Time|||	Pacific/Majuro=Marshall Islands@1
Chatham Standard Time|Chatham Daylight Time|NZ:CHAST,CHADT,CHAT|Chatham Time	Pacific/Chatham=Chatham Islands@1
Samoa Standard Time|Samoa Daylight Time||Samoa Standard Time	Pacific/Apia=Samoa@1
Chuuk Time|||	Pacific/Truk=Chuuk@1
Vanuatu Standard Time|Vanuatu Summer Time||Vanuatu Standard Time	Pacific/Efate=Vanuatu@1
Phoenix Islands Time|||Phoenix Islands Time	Pacific/Enderbury=Canton Island@1
Tokelau Time|||	Pacific/Fakaofo=Tokelau@1
Fiji Standard Time|Fiji Summer Time||Fiji Standard Time	Pacific/Fiji@1
Tuvalu Time|||	Pacific/Funafuti=Tuvalu@1
Galapagos Time|||Galapagos Time	Pacific/Galapagos=Galápagos Islands@c1ylw1
Gambier Time|||	Pacific/Gambier@1
Solomon Islands Time|||	Pacific/Guadalcanal=Solomon Islands@1
Chamorro Standard Time|||Chamorro Standard Time	Pacific/Guam@g5z2w0;Pacific/Saipan=Northern Mariana Islands@g5z2w0
Line Islands Time|||Line Islands Time	Pacific/Kiritimati@1
Kosrae Time|||	Pacific/Kosrae@1
Marquesas Time|||Marquesas Time	Pacific/Marquesas=Marquesas Islands@1
American Samoa Standard Time|||American Samoa Standard Time	Pacific/Midway=Midway Atoll@77ss00;Pacific/Pago_Pago=American Samoa@77ss00
Nauru Time|||	Pacific/Nauru@1
Niue Time|||	Pacific/Niue@1
Norfolk Island Standard Time|Norfolk Island Daylight Time||	Pacific/Norfolk=Norfolk Island@1
New Caledonia Standard Time|New Caledonia Summer Time||New Caledonia Standard Time	Pacific/Noumea=New Caledonia@1
Palau Time|||	Pacific/Palau@1
Pitcairn Time|||Pitcairn Time	Pacific/Pitcairn=Pitcairn Islands@1
Pohnpei Time|||	Pacific/Ponape=Pohnpei@1
Papua New Guinea Time|||Papua New Guinea Time	Pacific/Port_Moresby@1
Cook Islands Standard Time|Cook Islands Summer Time||Cook Islands Standard Time	Pacific/Rarotonga=Cook Islands@1
Tahiti Time|||	Pacific/Tahiti@1
Gilbert Islands Time|||Gilbert Islands Time	Pacific/Tarawa@1
Tonga Standard Time|Tonga Summer Time||Tonga Standard Time	Pacific/Tongatapu=Tonga@1
Wake Island Time|||	Pacific/Wake=Wake Island@1
Wallis & Futuna Time|||	Pacific/Wallis=Wallis & Futuna@1
`

// zoneLinks are other names of zones: the zone, and after "=" the names that stand for it.
const zoneLinks = `Africa/Asmera=Africa/Asmara
Africa/Bamako=Africa/Timbuktu
America/Buenos_Aires=America/Argentina/Buenos_Aires
America/Catamarca=America/Argentina/Catamarca America/Argentina/ComodRivadavia
America/Cordoba=America/Argentina/Cordoba America/Rosario
America/Jujuy=America/Argentina/Jujuy
America/Mendoza=America/Argentina/Mendoza
America/Coral_Harbour=America/Atikokan
America/Adak=America/Atka US/Aleutian
America/Tijuana=America/Ensenada America/Santa_Isabel Mexico/BajaNorte
America/Indianapolis=America/Fort_Wayne America/Indiana/Indianapolis US/East-Indiana
America/Louisville=America/Kentucky/Louisville
America/Indiana/Knox=America/Knox_IN US/Indiana-Starke
America/Toronto=America/Montreal America/Nipigon America/Thunder_Bay Canada/Eastern
America/Godthab=America/Nuuk
America/Iqaluit=America/Pangnirtung
America/Rio_Branco=America/Porto_Acre Brazil/Acre
America/Winnipeg=America/Rainy_River Canada/Central
America/Denver=America/Shiprock MST7MDT Navajo US/Mountain
America/St_Thomas=America/Virgin
America/Edmonton=America/Yellowknife Canada/Mountain
Antarctica/McMurdo=Antarctica/South_Pole
Asia/Ashgabat=Asia/Ashkhabad
Asia/Ulaanbaatar=Asia/Choibalsan Asia/Ulan_Bator
Asia/Shanghai=Asia/Chongqing Asia/Chungking Asia/Harbin PRC
Asia/Dhaka=Asia/Dacca
Asia/Saigon=Asia/Ho_Chi_Minh
Europe/Istanbul=Asia/Istanbul Turkey
Asia/Urumqi=Asia/Kashgar
Asia/Katmandu=Asia/Kathmandu
Asia/Calcutta=Asia/Kolkata
Asia/Macau=Asia/Macao
Asia/Jerusalem=Asia/Tel_Aviv Israel
Asia/Thimphu=Asia/Thimbu
Asia/Makassar=Asia/Ujung_Pandang
Asia/Rangoon=Asia/Yangon
Atlantic/Faeroe=Atlantic/Faroe
Arctic/Longyearbyen=Atlantic/Jan_Mayen
Australia/Sydney=Australia/ACT Australia/Canberra Australia/NSW
Australia/Hobart=Australia/Currie Australia/Tasmania
Australia/Lord_Howe=Australia/LHI
Australia/Darwin=Australia/North
Australia/Brisbane=Australia/Queensland
Australia/Adelaide=Australia/South
Australia/Melbourne=Australia/Victoria
Australia/Perth=Australia/West
Australia/Broken_Hill=Australia/Yancowinna
America/Noronha=Brazil/DeNoronha
America/Sao_Paulo=Brazil/East
America/Manaus=Brazil/West
Europe/Brussels=CET MET
America/Chicago=CST6CDT US/Central
America/Halifax=Canada/Atlantic
America/St_Johns=Canada/Newfoundland
America/Vancouver=Canada/Pacific
America/Regina=Canada/Saskatchewan
America/Whitehorse=Canada/Yukon
America/Santiago=Chile/Continental
Pacific/Easter=Chile/EasterIsland
America/Havana=Cuba
Europe/Athens=EET
America/Panama=EST
America/New_York=EST5EDT US/Eastern
Africa/Cairo=Egypt
Europe/Dublin=Eire
UTC=Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu GMT GMT+0 GMT-0 GMT0 Greenwich UCT Universal Zulu
Europe/London=Europe/Belfast GB GB-Eire
Europe/Kiev=Europe/Kyiv Europe/Uzhgorod Europe/Zaporozhye
Asia/Nicosia=Europe/Nicosia
Europe/Chisinau=Europe/Tiraspol
Pacific/Honolulu=HST Pacific/Johnston US/Hawaii
Asia/Hong_Kong=Hongkong
Atlantic/Reykjavik=Iceland
Asia/Tehran=Iran
America/Jamaica=Jamaica
Asia/Tokyo=Japan
Pacific/Kwajalein=Kwajalein
Africa/Tripoli=Libya
America/Phoenix=MST US/Arizona
America/Mazatlan=Mexico/BajaSur
America/Mexico_City=Mexico/General
Pacific/Auckland=NZ
Pacific/Chatham=NZ-CHAT
America/Los_Angeles=PST8PDT US/Pacific
Pacific/Truk=Pacific/Chuuk Pacific/Yap
Pacific/Enderbury=Pacific/Kanton
Pacific/Ponape=Pacific/Pohnpei
Pacific/Pago_Pago=Pacific/Samoa US/Samoa
Europe/Warsaw=Poland
Europe/Lisbon=Portugal WET
Asia/Taipei=ROC
Asia/Seoul=ROK
Asia/Singapore=Singapore
America/Anchorage=US/Alaska
America/Detroit=US/Michigan
Europe/Moscow=W-SU
`
