package guest

// zoneNames says how zones are called in English today. A line is standard|daylight|short names|generic, a tab, and the zones
// with ";" between them, each with the place that it is called by if that is not the last part of its name. Short names are
// regions:standard,daylight,generic.
const zoneNames = `Greenwich Mean Time||*:GMT,,|Greenwich Mean Time	Africa/Abidjan=GMT;Africa/Accra=GMT;Africa/Bamako=GMT;Africa/Banjul=GMT;Africa/Bissau=GMT;Africa/Conakry=GMT;Africa/Dakar=GMT;Africa/Freetown=GMT;Africa/Lome=GMT;Africa/Monrovia=GMT;Africa/Nouakchott=GMT;Africa/Ouagadougou=GMT;Africa/Sao_Tome=GMT;America/Danmarkshavn=GMT;Atlantic/Reykjavik=GMT;Atlantic/St_Helena=GMT
Greenwich Mean Time||*:GMT,,|	Antarctica/Troll=Troll Station;Europe/Guernsey;Europe/Isle_of_Man;Europe/Jersey
East Africa Time||ZA:EAT,,EAT|East Africa Time	Africa/Addis_Ababa=Ethiopia;Africa/Asmera=Eritrea;Africa/Dar_es_Salaam=Tanzania;Africa/Djibouti;Africa/Kampala=Uganda;Africa/Mogadishu=Somalia;Africa/Nairobi=Kenya;Indian/Antananarivo=Madagascar;Indian/Comoro=Comoros;Indian/Mayotte
Central European Standard Time||GB 150:CET,,CET|Central European Standard Time	Africa/Algiers=Algeria;Africa/Tunis=Tunisia
West Africa Time||ZA:WAT,,WAT|West Africa Time	Africa/Bangui=Central African Republic;Africa/Brazzaville=Congo - Brazzaville;Africa/Douala=Cameroon;Africa/Kinshasa;Africa/Lagos=Nigeria;Africa/Libreville=Gabon;Africa/Luanda=Angola;Africa/Malabo=Equatorial Guinea;Africa/Ndjamena=Chad;Africa/Niamey=Niger;Africa/Porto-Novo=Benin
Central Africa Time||ZA:CAT,,CAT|Central Africa Time	Africa/Blantyre=Malawi;Africa/Bujumbura=Burundi;Africa/Gaborone=Botswana;Africa/Harare=Zimbabwe;Africa/Juba=South Sudan;Africa/Khartoum=Sudan;Africa/Kigali=Rwanda;Africa/Lubumbashi;Africa/Lusaka=Zambia;Africa/Maputo=Mozambique;Africa/Windhoek=Namibia
Eastern European Standard Time|Eastern European Summer Time|GB 150:EET,EEST,EET|Eastern European Time	Africa/Cairo=Egypt;Asia/Beirut=Lebanon;Asia/Famagusta;Asia/Gaza;Asia/Hebron;Asia/Nicosia;Europe/Athens=Greece;Europe/Bucharest=Romania;Europe/Chisinau=Moldova;Europe/Helsinki=Finland;Europe/Kiev=Ukraine;Europe/Mariehamn=Åland Islands;Europe/Riga=Latvia;Europe/Sofia=Bulgaria;Europe/Tallinn=Estonia;Europe/Vilnius=Lithuania
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
Central European Standard Time|Central European Summer Time|GB 150:CET,CEST,CET|Central European Time	Africa/Ceuta;Arctic/Longyearbyen=Svalbard & Jan Mayen;Europe/Brussels=Belgium;Europe/Amsterdam=Netherlands;Europe/Andorra;Europe/Belgrade=Serbia;Europe/Berlin=Germany;Europe/Bratislava=Slovakia;Europe/Budapest=Hungary;Europe/Busingen=Büsingen;Europe/Copenhagen=Denmark;Europe/Gibraltar;Europe/Ljubljana=Slovenia;Europe/Luxembourg;Europe/Madrid=Spain;Europe/Malta;Europe/Monaco;Europe/Oslo=Norway;Europe/Paris=France;Europe/Podgorica=Montenegro;Europe/Prague=Czechia;Europe/Rome=Italy;Europe/San_Marino;Europe/Sarajevo=Bosnia & Herzegovina;Europe/Skopje=North Macedonia;Europe/Stockholm=Sweden;Europe/Tirane=Albania;Europe/Vaduz=Liechtenstein;Europe/Vatican=Vatican City;Europe/Vienna=Austria;Europe/Warsaw=Poland;Europe/Zagreb=Croatia;Europe/Zurich=Switzerland
South Africa Standard Time||ZA:SAST,,SAST|South Africa Standard Time	Africa/Johannesburg=South Africa;Africa/Maseru=Lesotho;Africa/Mbabane=Eswatini
Eastern European Standard Time||GB 150:EET,,EET|Eastern European Standard Time	Africa/Tripoli=Libya;Europe/Kaliningrad
Hawaii-Aleutian Standard Time|Hawaii-Aleutian Daylight Time|US CA:HAST,HADT,HAT|Hawaii-Aleutian Time	America/Adak
Alaska Standard Time|Alaska Daylight Time|US CA:AKST,AKDT,AKT|Alaska Time	America/Anchorage;America/Juneau;America/Metlakatla;America/Nome;America/Sitka;America/Yakutat
Atlantic Standard Time||US CA:AST,,AST|Atlantic Standard Time	America/Anguilla;America/Antigua=Antigua & Barbuda;America/Aruba;America/Barbados;America/Blanc-Sablon;America/Curacao=Curaçao;America/Dominica;America/Grenada;America/Guadeloupe;America/Kralendijk=Caribbean Netherlands;America/Lower_Princes=Sint Maarten;America/Marigot=St Martin;America/Martinique;America/Montserrat;America/Port_of_Spain=Trinidad & Tobago;America/Puerto_Rico;America/Santo_Domingo=Dominican Republic;America/St_Barthelemy=St Barthélemy;America/St_Kitts=St Kitts & Nevis;America/St_Lucia;America/St_Thomas=US Virgin Islands;America/St_Vincent=St Vincent & the Grenadines;America/Tortola=British Virgin Islands
Brasilia Standard Time|||Brasilia Standard Time	America/Araguaina=Araguaína;America/Bahia;America/Belem=Belém;America/Fortaleza;America/Maceio=Maceió;America/Recife;America/Santarem=Santarém;America/Sao_Paulo=São Paulo
Argentina Standard Time|||Argentina Standard Time	America/Buenos_Aires;America/Catamarca;America/Cordoba=Córdoba;America/Jujuy;America/Argentina/La_Rioja;America/Mendoza;America/Argentina/Rio_Gallegos=Río Gallegos;America/Argentina/Salta;America/Argentina/San_Juan;America/Argentina/San_Luis;America/Argentina/Tucuman=Tucumán;America/Argentina/Ushuaia
Paraguay Standard Time|||Paraguay Standard Time	America/Asuncion=Paraguay
Eastern Standard Time||US CA:EST,,EST|Eastern Standard Time	America/Coral_Harbour=Atikokan;America/Cancun=Cancún;America/Cayman=Cayman Islands;America/Jamaica;America/Panama
Central Standard Time||US CA:CST,,CST|Central Standard Time	America/Bahia_Banderas=Bahía de Banderas;America/Belize;America/Chihuahua;America/Costa_Rica;America/El_Salvador;America/Guatemala;America/Managua=Nicaragua;America/Merida=Mérida;America/Mexico_City;America/Monterrey;America/Regina;America/Swift_Current;America/Tegucigalpa=Honduras
Amazon Standard Time|||Amazon Standard Time	America/Boa_Vista;America/Campo_Grande;America/Cuiaba=Cuiabá;America/Manaus;America/Porto_Velho
Colombia Standard Time|||Colombia Standard Time	America/Bogota=Colombia
Mountain Standard Time|Mountain Daylight Time|US CA:MST,MDT,MT|Mountain Time	America/Boise;America/Cambridge_Bay;America/Ciudad_Juarez=Ciudad Juárez;America/Denver;America/Edmonton;America/Inuvik
Venezuela Time|||	America/Caracas=Venezuela
French Guiana Time|||	America/Cayenne=French Guiana
Central Standard Time|Central Daylight Time|US CA:CST,CDT,CT|Central Time	America/Chicago;America/Indiana/Knox=Knox, Indiana;America/Indiana/Tell_City=Tell City, Indiana;America/Matamoros;America/Menominee;America/North_Dakota/Beulah=Beulah, North Dakota;America/North_Dakota/Center=Center, North Dakota;America/North_Dakota/New_Salem=New Salem, North Dakota;America/Ojinaga;America/Winnipeg;America/Rankin_Inlet;America/Resolute
Mountain Standard Time||US CA:MST,,MST|Mountain Standard Time	America/Creston;America/Dawson_Creek;America/Fort_Nelson;America/Phoenix
Yukon Time|||Yukon Time	America/Dawson;America/Whitehorse
Eastern Standard Time|Eastern Daylight Time|US CA:EST,EDT,ET|Eastern Time	America/Detroit;America/Indianapolis;America/Grand_Turk=Turks & Caicos Islands;America/Indiana/Marengo=Marengo, Indiana;America/Indiana/Petersburg=Petersburg, Indiana;America/Indiana/Vevay=Vevay, Indiana;America/Indiana/Vincennes=Vincennes, Indiana;America/Indiana/Winamac=Winamac, Indiana;America/Iqaluit;America/Louisville;America/Kentucky/Monticello=Monticello, Kentucky;America/Toronto;America/Nassau=Bahamas;America/New_York;America/Port-au-Prince=Haiti
Acre Standard Time|||Acre Standard Time	America/Eirunepe=Eirunepé;America/Rio_Branco
Pacific Standard Time|Pacific Daylight Time|US CA:PST,PDT,PT|Pacific Time	America/Tijuana;America/Los_Angeles;America/Vancouver
Atlantic Standard Time|Atlantic Daylight Time|US CA:AST,ADT,AT|Atlantic Time	America/Glace_Bay;America/Goose_Bay;America/Halifax;America/Moncton;America/Thule;Atlantic/Bermuda
Greenland Standard Time|Greenland Summer Time||Greenland Time	America/Godthab=Nuuk;America/Scoresbysund=Ittoqqortoormiit
Ecuador Time|||	America/Guayaquil=Ecuador
Guyana Time|||	America/Guyana
Cuba Standard Time|Cuba Daylight Time||	America/Havana=Cuba
Mexican Pacific Standard Time|||Mexican Pacific Standard Time	America/Hermosillo;America/Mazatlan=Mazatlán
Bolivia Time|||	America/La_Paz=Bolivia
Peru Standard Time|||Peru Standard Time	America/Lima=Peru
St. Pierre & Miquelon Standard Time|St. Pierre & Miquelon Daylight Time|CA:PMST,PMDT,PMT|St. Pierre & Miquelon Time	America/Miquelon=St Pierre & Miquelon
Uruguay Standard Time|||Uruguay Standard Time	America/Montevideo=Uruguay
Fernando de Noronha Standard Time|||Fernando de Noronha Standard Time	America/Noronha=Fernando de Noronha
Suriname Time|||	America/Paramaribo=Suriname
Chile Standard Time|Chile Summer Time||	America/Santiago=Chile
Newfoundland Standard Time|Newfoundland Daylight Time|CA:NST,NDT,NT|Newfoundland Time	America/St_Johns=St John’s
Australian Western Standard Time||AU NZ:AWST,,AWST|Australian Western Standard Time	Antarctica/Casey=Casey Station;Australia/Perth
Davis Time|||	Antarctica/Davis
Dumont d’Urville Time|||Dumont d’Urville Time	Antarctica/DumontDUrville=Dumont d’Urville Station
Australian Eastern Standard Time|Australian Eastern Daylight Time|AU NZ:AEST,AEDT,AET|Australian Eastern Time	Antarctica/Macquarie=Macquarie Island;Australia/Sydney;Australia/Hobart;Australia/Melbourne
Mawson Time|||Mawson Time	Antarctica/Mawson=Mawson Station
New Zealand Standard Time|New Zealand Daylight Time|AU NZ:NZST,NZDT,NZT|New Zealand Time	Antarctica/McMurdo=McMurdo Station
New Zealand Standard Time|New Zealand Daylight Time|AU NZ:NZST,NZDT,NZT|	Pacific/Auckland=New Zealand
Rothera Time|||Rothera Time	Antarctica/Rothera=Rothera Station
Syowa Time|||Syowa Time	Antarctica/Syowa=Showa Station
Vostok Time|||Vostok Time	Antarctica/Vostok=Vostok Station
Arabian Standard Time|||Arabian Standard Time	Asia/Aden=Yemen;Asia/Baghdad=Iraq;Asia/Bahrain;Asia/Kuwait;Asia/Qatar;Asia/Riyadh=Saudi Arabia
Kazakhstan Time|||Kazakhstan Time	Asia/Almaty;Asia/Aqtau=Aktau;Asia/Aqtobe;Asia/Atyrau;Asia/Oral;Asia/Qostanay=Kostanay;Asia/Qyzylorda=Kyzylorda
Kamchatka Standard Time|||Kamchatka Standard Time	Asia/Anadyr;Asia/Kamchatka
Turkmenistan Standard Time|||Turkmenistan Standard Time	Asia/Ashgabat=Turkmenistan
Azerbaijan Standard Time|||Azerbaijan Standard Time	Asia/Baku=Azerbaijan
Indochina Time|||Indochina Time	Asia/Bangkok=Thailand;Asia/Saigon=Vietnam;Asia/Phnom_Penh=Cambodia;Asia/Vientiane=Laos
Krasnoyarsk Standard Time|||Krasnoyarsk Standard Time	Asia/Barnaul;Asia/Krasnoyarsk;Asia/Novokuznetsk;Asia/Novosibirsk;Asia/Tomsk
Kyrgyzstan Time|||	Asia/Bishkek=Kyrgyzstan
Brunei Time|||	Asia/Brunei
India Standard Time||IN:IST,,IST|India Standard Time	Asia/Calcutta=India;Asia/Colombo=Sri Lanka
Yakutsk Standard Time|||Yakutsk Standard Time	Asia/Chita;Asia/Khandyga;Asia/Yakutsk
Ulaanbaatar Standard Time|||Ulaanbaatar Standard Time	Asia/Ulaanbaatar
China Standard Time|||China Standard Time	Asia/Shanghai=China;Asia/Macau=Macao SAR China
Bangladesh Standard Time|||Bangladesh Standard Time	Asia/Dhaka=Bangladesh
Timor-Leste Time|||	Asia/Dili=Timor-Leste
Gulf Standard Time||GB IN AE:GST,,GST|Gulf Standard Time	Asia/Dubai=United Arab Emirates;Asia/Muscat=Oman
Tajikistan Time|||	Asia/Dushanbe=Tajikistan
Hong Kong Standard Time||HK:HKT,,HKT|Hong Kong Standard Time	Asia/Hong_Kong=Hong Kong SAR China
Khovd Standard Time|||Khovd Standard Time	Asia/Hovd=Khovd
Irkutsk Standard Time|||Irkutsk Standard Time	Asia/Irkutsk
Türkiye Standard Time|||Türkiye Standard Time	Europe/Istanbul=Türkiye
Western Indonesia Time|||Western Indonesia Time	Asia/Jakarta;Asia/Pontianak
Eastern Indonesia Time|||Eastern Indonesia Time	Asia/Jayapura
Israel Standard Time|Israel Daylight Time||	Asia/Jerusalem=Israel
Afghanistan Time|||	Asia/Kabul=Afghanistan
Pakistan Standard Time|||Pakistan Standard Time	Asia/Karachi=Pakistan
Nepal Time|||	Asia/Katmandu=Nepal
Malaysia Time||SG:MYT,,MYT|	Asia/Kuala_Lumpur=Malaysia
Malaysia Time||SG:MYT,,MYT|Malaysia Time	Asia/Kuching
Magadan Standard Time|||Magadan Standard Time	Asia/Magadan;Asia/Sakhalin;Asia/Srednekolymsk
Central Indonesia Time|||Central Indonesia Time	Asia/Makassar
Philippine Standard Time|||Philippine Standard Time	Asia/Manila=Philippines
Omsk Standard Time|||Omsk Standard Time	Asia/Omsk
Korean Standard Time|||Korean Standard Time	Asia/Pyongyang=North Korea;Asia/Seoul=South Korea
Myanmar Time|||Myanmar Time	Asia/Rangoon=Myanmar (Burma)
Uzbekistan Standard Time|||Uzbekistan Standard Time	Asia/Samarkand;Asia/Tashkent=Uzbekistan
Singapore Standard Time||SG:SGT,,SGT|Singapore Standard Time	Asia/Singapore
Taiwan Standard Time|||Taiwan Standard Time	Asia/Taipei=Taiwan
Georgia Standard Time|||Georgia Standard Time	Asia/Tbilisi=Georgia
Iran Standard Time|||Iran Standard Time	Asia/Tehran=Iran
Bhutan Time|||	Asia/Thimphu=Bhutan
Japan Standard Time|||Japan Standard Time	Asia/Tokyo=Japan
Vladivostok Standard Time|||Vladivostok Standard Time	Asia/Ust-Nera;Asia/Vladivostok
Yekaterinburg Standard Time|||Yekaterinburg Standard Time	Asia/Yekaterinburg
Armenia Standard Time|||Armenia Standard Time	Asia/Yerevan=Armenia
Azores Standard Time|Azores Summer Time||	Atlantic/Azores
Western European Standard Time|Western European Summer Time|GB 150:WET,WEST,WET|Western European Time	Atlantic/Canary=Canaries;Atlantic/Faeroe=Faroe Islands;Atlantic/Madeira;Europe/Lisbon=Portugal
Cape Verde Standard Time|||Cape Verde Standard Time	Atlantic/Cape_Verde
South Georgia Time|||South Georgia Time	Atlantic/South_Georgia=South Georgia & South Sandwich Islands
Falkland Islands Standard Time|||Falkland Islands Standard Time	Atlantic/Stanley=Falkland Islands
Australian Central Standard Time|Australian Central Daylight Time|AU NZ:ACST,ACDT,ACT|Australian Central Time	Australia/Adelaide;Australia/Broken_Hill
Australian Eastern Standard Time||AU NZ:AEST,,AEST|Australian Eastern Standard Time	Australia/Brisbane;Australia/Lindeman
Australian Central Standard Time||AU NZ:ACST,,ACST|Australian Central Standard Time	Australia/Darwin
Australian Central Western Standard Time||AU NZ:ACWST,,ACWST|Australian Central Western Standard Time	Australia/Eucla
Lord Howe Standard Time|Lord Howe Daylight Time|AU NZ:LHST,LHDT,LHT|Lord Howe Time	Australia/Lord_Howe=Lord Howe Island
Easter Island Standard Time|Easter Island Summer Time||	Pacific/Easter=Easter Island
Greenwich Mean Time|Irish Standard Time|IE:GMT,IST,|	Europe/Dublin=Ireland
Coordinated Universal Time||*:UTC,,|GMT+00:00	UTC=GMT+0
Samara Standard Time|||Samara Standard Time	Europe/Astrakhan;Europe/Samara;Europe/Saratov;Europe/Ulyanovsk
Greenwich Mean Time|British Summer Time|GB:GMT,BST,|	Europe/London=United Kingdom
Moscow Standard Time|||Moscow Standard Time	Europe/Kirov;Europe/Minsk=Belarus;Europe/Moscow;Europe/Simferopol;Europe/Volgograd
Hawaii-Aleutian Standard Time||US CA:HST,,HST|Hawaii-Aleutian Standard Time	Pacific/Honolulu
Indian Ocean Time|||Indian Ocean Time	Indian/Chagos=British Indian Ocean Territory
Christmas Island Time|||	Indian/Christmas=Christmas Island
Cocos Islands Time|||Cocos Islands Time	Indian/Cocos=Cocos (Keeling) Islands
French Southern & Antarctic Time|||French Southern & Antarctic Time	Indian/Kerguelen=French Southern Territories
Seychelles Time|||	Indian/Mahe=Seychelles
Maldives Time|||	Indian/Maldives
Mauritius Standard Time|||Mauritius Standard Time	Indian/Mauritius
Réunion Time|||	Indian/Reunion=Réunion
Marshall Islands Time|||Marshall Islands Time	Pacific/Kwajalein=Kwajalein Atoll
Marshall Islands Time|||	Pacific/Majuro=Marshall Islands
Chatham Standard Time|Chatham Daylight Time|NZ:CHAST,CHADT,CHAT|Chatham Time	Pacific/Chatham=Chatham Islands
Samoa Standard Time|||Samoa Standard Time	Pacific/Apia=Samoa
Chuuk Time|||	Pacific/Truk=Chuuk
Vanuatu Standard Time|||Vanuatu Standard Time	Pacific/Efate=Vanuatu
Phoenix Islands Time|||Phoenix Islands Time	Pacific/Enderbury=Canton Island
Tokelau Time|||	Pacific/Fakaofo=Tokelau
Fiji Standard Time|||Fiji Standard Time	Pacific/Fiji
Tuvalu Time|||	Pacific/Funafuti=Tuvalu
Galapagos Time|||Galapagos Time	Pacific/Galapagos=Galápagos Islands
Gambier Time|||	Pacific/Gambier
Solomon Islands Time|||	Pacific/Guadalcanal=Solomon Islands
Chamorro Standard Time|||Chamorro Standard Time	Pacific/Guam;Pacific/Saipan=Northern Mariana Islands
Line Islands Time|||Line Islands Time	Pacific/Kiritimati
Kosrae Time|||	Pacific/Kosrae
Marquesas Time|||Marquesas Time	Pacific/Marquesas=Marquesas Islands
American Samoa Standard Time|||American Samoa Standard Time	Pacific/Midway=Midway Atoll;Pacific/Pago_Pago=American Samoa
Nauru Time|||	Pacific/Nauru
Niue Time|||	Pacific/Niue
Norfolk Island Standard Time|Norfolk Island Daylight Time||	Pacific/Norfolk=Norfolk Island
New Caledonia Standard Time|||New Caledonia Standard Time	Pacific/Noumea=New Caledonia
Palau Time|||	Pacific/Palau
Pitcairn Time|||Pitcairn Time	Pacific/Pitcairn=Pitcairn Islands
Pohnpei Time|||	Pacific/Ponape=Pohnpei
Papua New Guinea Time|||Papua New Guinea Time	Pacific/Port_Moresby
Cook Islands Standard Time|||Cook Islands Standard Time	Pacific/Rarotonga=Cook Islands
Tahiti Time|||	Pacific/Tahiti
Gilbert Islands Time|||Gilbert Islands Time	Pacific/Tarawa
Tonga Standard Time|||Tonga Standard Time	Pacific/Tongatapu=Tonga
Wake Island Time|||	Pacific/Wake=Wake Island
Wallis & Futuna Time|||	Pacific/Wallis=Wallis & Futuna
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
