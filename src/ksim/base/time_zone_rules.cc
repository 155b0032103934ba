// Part of time_zone.h: the rules of all time zones, written by tools/time-zones from the IANA tz
// database 2025c, as Go has it.
#include "ksim/base/time_zone.h"

namespace ksim {

std::string_view TimeZoneRules() {
  return R"(
<+00>0<+02>-2,M3.5.0/1,M10.5.0/3 Antarctica/Troll
<+01>-1 Etc/GMT-1
<+02>-2 Etc/GMT-2
<+0330>-3:30 Asia/Tehran Iran
<+03>-3 Antarctica/Syowa Asia/Aden Asia/Amman Asia/Baghdad Asia/Bahrain Asia/Damascus
 Asia/Istanbul Asia/Kuwait Asia/Qatar Asia/Riyadh Etc/GMT-3 Europe/Istanbul Europe/Minsk Turkey
<+0430>-4:30 Asia/Kabul
<+04>-4 Asia/Baku Asia/Dubai Asia/Muscat Asia/Tbilisi Asia/Yerevan Etc/GMT-4 Europe/Astrakhan
 Europe/Samara Europe/Saratov Europe/Ulyanovsk Indian/Mahe Indian/Mauritius Indian/Reunion
<+0530>-5:30 Asia/Colombo
<+0545>-5:45 Asia/Kathmandu Asia/Katmandu
<+05>-5 Antarctica/Mawson Antarctica/Vostok Asia/Almaty Asia/Aqtau Asia/Aqtobe Asia/Ashgabat
 Asia/Ashkhabad Asia/Atyrau Asia/Dushanbe Asia/Oral Asia/Qostanay Asia/Qyzylorda Asia/Samarkand
 Asia/Tashkent Asia/Yekaterinburg Etc/GMT-5 Indian/Kerguelen Indian/Maldives
<+0630>-6:30 Asia/Rangoon Asia/Yangon Indian/Cocos
<+06>-6 Asia/Bishkek Asia/Dacca Asia/Dhaka Asia/Kashgar Asia/Omsk Asia/Thimbu Asia/Thimphu
 Asia/Urumqi Etc/GMT-6 Indian/Chagos
<+07>-7 Antarctica/Davis Asia/Bangkok Asia/Barnaul Asia/Ho_Chi_Minh Asia/Hovd Asia/Krasnoyarsk
 Asia/Novokuznetsk Asia/Novosibirsk Asia/Phnom_Penh Asia/Saigon Asia/Tomsk Asia/Vientiane
 Etc/GMT-7 Indian/Christmas
<+0845>-8:45 Australia/Eucla
<+08>-8 Antarctica/Casey Asia/Brunei Asia/Choibalsan Asia/Irkutsk Asia/Kuala_Lumpur Asia/Kuching
 Asia/Singapore Asia/Ulaanbaatar Asia/Ulan_Bator Etc/GMT-8 Singapore
<+09>-9 Asia/Chita Asia/Dili Asia/Khandyga Asia/Yakutsk Etc/GMT-9 Pacific/Palau
<+1030>-10:30<+11>-11,M10.1.0,M4.1.0 Australia/LHI Australia/Lord_Howe
<+10>-10 Antarctica/DumontDUrville Asia/Ust-Nera Asia/Vladivostok Etc/GMT-10 Pacific/Chuuk
 Pacific/Port_Moresby Pacific/Truk Pacific/Yap
<+11>-11 Asia/Magadan Asia/Sakhalin Asia/Srednekolymsk Etc/GMT-11 Pacific/Bougainville
 Pacific/Efate Pacific/Guadalcanal Pacific/Kosrae Pacific/Noumea Pacific/Pohnpei Pacific/Ponape
<+11>-11<+12>,M10.1.0,M4.1.0/3 Pacific/Norfolk
<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45 NZ-CHAT Pacific/Chatham
<+12>-12 Asia/Anadyr Asia/Kamchatka Etc/GMT-12 Kwajalein Pacific/Fiji Pacific/Funafuti
 Pacific/Kwajalein Pacific/Majuro Pacific/Nauru Pacific/Tarawa Pacific/Wake Pacific/Wallis
<+13>-13 Etc/GMT-13 Pacific/Apia Pacific/Enderbury Pacific/Fakaofo Pacific/Kanton
 Pacific/Tongatapu
<+14>-14 Etc/GMT-14 Pacific/Kiritimati
<-00>0 Factory
<-01>1 Atlantic/Cape_Verde Etc/GMT+1
<-01>1<+00>,M3.5.0/0,M10.5.0/1 Atlantic/Azores
<-02>2 America/Noronha Atlantic/South_Georgia Brazil/DeNoronha Etc/GMT+2
<-02>2<-01>,M3.5.0/-1,M10.5.0/0 America/Godthab America/Nuuk America/Scoresbysund
<-03>3 America/Araguaina America/Argentina/Buenos_Aires America/Argentina/Catamarca
 America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy
 America/Argentina/La_Rioja America/Argentina/Mendoza America/Argentina/Rio_Gallegos
 America/Argentina/Salta America/Argentina/San_Juan America/Argentina/San_Luis
 America/Argentina/Tucuman America/Argentina/Ushuaia America/Asuncion America/Bahia America/Belem
 America/Buenos_Aires America/Catamarca America/Cayenne America/Cordoba America/Fortaleza
 America/Jujuy America/Maceio America/Mendoza America/Montevideo America/Paramaribo
 America/Punta_Arenas America/Recife America/Rosario America/Santarem America/Sao_Paulo
 Antarctica/Palmer Antarctica/Rothera Atlantic/Stanley Brazil/East Etc/GMT+3
<-03>3<-02>,M3.2.0,M11.1.0 America/Miquelon
<-04>4 America/Boa_Vista America/Campo_Grande America/Caracas America/Cuiaba America/Guyana
 America/La_Paz America/Manaus America/Porto_Velho Brazil/West Etc/GMT+4
<-04>4<-03>,M9.1.6/24,M4.1.6/24 America/Santiago Chile/Continental
<-05>5 America/Bogota America/Eirunepe America/Guayaquil America/Lima America/Porto_Acre
 America/Rio_Branco Brazil/Acre Etc/GMT+5
<-06>6 Etc/GMT+6 Pacific/Galapagos
<-06>6<-05>,M9.1.6/22,M4.1.6/22 Chile/EasterIsland Pacific/Easter
<-07>7 Etc/GMT+7
<-08>8 Etc/GMT+8 Pacific/Pitcairn
<-0930>9:30 Pacific/Marquesas
<-09>9 Etc/GMT+9 Pacific/Gambier
<-10>10 Etc/GMT+10 Pacific/Rarotonga Pacific/Tahiti
<-11>11 Etc/GMT+11 Pacific/Niue
<-12>12 Etc/GMT+12
@-180 112500:-180 <-03>3 America/Coyhaique
@120 145440:180 427620:120 649440:180 951780:120 1173600:180 1486020:120 1697760:180 2010180:120
 2221920:180 2534340:120 2756160:180 3058500:120 3280320:180 3582660:120 3804480:180 4116900:120
 4328640:180 4641060:120 4852800:180 5165220:120 5376960:180 5689380:120 5911200:180 6203460:120
 6435360:180 6717540:120 6959520:180 7221540:120 7483680:180 7735620:120 8007840:180 8239620:120
 8310240:180 8320260:120 8542080:180 8753700:120 8814240:180 8844420:120 9066240:180 9267780:120
 9328320:180 9368580:120 9590400:180 9771780:120 9842400:180 9892740:120 10114560:180 10285860:120
 10346400:180 10426980:120 10638720:180 10799940:120 10860480:180 10951140:120 11162880:180
 11303940:120 11374560:180 11475300:120 11697120:180 11818020:120 11878560:180 11999460:120
 12221280:180 12322020:120 12392640:180 12523620:120 12745440:180 12836100:120 12896640:180
 13057860:120 13269600:180 13350180:120 13410720:180 13582020:120 13793760:180 13854180:120
 13924800:180 14106180:120 14328000:180 14368260:120 14428800:180 14630340:120 14852160:180
 14872260:120 14942880:180 15154500:120 15376320:180 15386340:120 15456960:180 15678660:120
 15960960:180 16212900:120 16475040:180 16737060:120 16979040:180 17261220:120 17493120:180
 17785380:120 18007200:180 18309540:120 18531360:180 18843780:120 19055520:180 19367940:120
 19579680:180 19892100:120 20103840:180 20416260:120 20638080:180 20940420:120 21162240:180
 21464580:120 21686400:180 21998820:120 22210560:180 22522980:120 22734720:180 23037060:120
 23268960:180 23551140:120 23793120:180 24065220:120 24317280:180 24569220:120 24841440:180
 25083300:120 25143840:180 25153860:120 25365600:180 25597380:120 25657920:180 25678020:120
 25889760:180 26101380:120 26172000:180 26202180:120 26424000:180 26615460:120 26676000:180
 26726340:120 26948160:180 27119460:120 27190080:180 27250500:120 27472320:180 27633540:120
 27704160:180 27784740:120 27996480:180 28147620:120 28208160:180 28308900:120 28520640:180
 28651620:120 28722240:180 28833060:120 29054880:180 29165700:120 29226240:180 29357220:120
 29579040:180 29679780:120 29740320:180 29881380:120 30103200:180 30183780:120 30254400:180
 30405540:120 30627360:180 30697860:120 30758400:180 30939780:120 31151520:180 31201860:120
 31272480:180 31463940:120 31675680:180 31715940:120 31786560:180 31988100:120 32209920:180
 32230020:120 32290560:180 32512260:120 EET-2EEST,M3.4.4/50,M10.4.4/50 Asia/Gaza Asia/Hebron
@60 76440:0 136920:60 590520:0 640920:60 1104600:0 1155000:60 1608600:0 1669080:60 2122680:0
 2173080:60 2626680:0 2687160:60 3140760:0 3191160:60 3654840:0 3705240:60 4158840:0 4219320:60
 4672920:0 4723320:60 5176920:0 5237400:60 5691000:0 5751480:60 6205080:0 6255480:60 6709080:0
 6769560:60 7223160:0 7273560:60 7737240:0 7787640:60 8241240:0 8301720:60 8755320:0 8805720:60
 9259320:0 9319800:60 9773400:0 9833880:60 10287480:0 10337880:60 10791480:0 10851960:60
 11305560:0 11355960:60 11819640:0 11870040:60 12323640:0 12384120:60 12837720:0 12888120:60
 13341720:0 13402200:60 13855800:0 13916280:60 14369880:0 14420280:60 14873880:0 14934360:60
 15387960:0 15438360:60 15902040:0 15952440:60 16406040:0 16466520:60 16920120:0 16970520:60
 17424120:0 17484600:60 17938200:0 17998680:60 18452280:0 18502680:60 18956280:0 19016760:60
 19470360:0 19520760:60 19984440:0 20034840:60 20488440:0 20548920:60 21002520:0 21052920:60
 21506520:0 21567000:60 22020600:0 22081080:60 22534680:0 22585080:60 23038680:0 23099160:60
 23552760:0 23603160:60 24066840:0 24117240:60 24570840:0 24631320:60 25084920:0 25135320:60
 25588920:0 25649400:60 26103000:0 26163480:60 26617080:0 26667480:60 27121080:0 27181560:60
 27635160:0 27685560:60 28149240:0 28199640:60 28653240:0 28713720:60 29167320:0 29217720:60
 29671320:0 29731800:60 30185400:0 30235800:60 30699480:0 30749880:60 31203480:0 31263960:60
 31717560:0 31767960:60 32231640:0 32282040:60 32735640:0 32796120:60 <+01>-1 Africa/Casablanca
 Africa/El_Aaiun
ACST-9:30 Australia/Darwin Australia/North
ACST-9:30ACDT,M10.1.0,M4.1.0/3 Australia/Adelaide Australia/Broken_Hill Australia/South
 Australia/Yancowinna
AEST-10 Australia/Brisbane Australia/Lindeman Australia/Queensland
AEST-10AEDT,M10.1.0,M4.1.0/3 Antarctica/Macquarie Australia/ACT Australia/Canberra
 Australia/Currie Australia/Hobart Australia/Melbourne Australia/NSW Australia/Sydney
 Australia/Tasmania Australia/Victoria
AKST9AKDT,M3.2.0,M11.1.0 America/Anchorage America/Juneau America/Metlakatla America/Nome
 America/Sitka America/Yakutat US/Alaska
AST4 America/Anguilla America/Antigua America/Aruba America/Barbados America/Blanc-Sablon
 America/Curacao America/Dominica America/Grenada America/Guadeloupe America/Kralendijk
 America/Lower_Princes America/Marigot America/Martinique America/Montserrat America/Port_of_Spain
 America/Puerto_Rico America/Santo_Domingo America/St_Barthelemy America/St_Kitts America/St_Lucia
 America/St_Thomas America/St_Vincent America/Tortola America/Virgin
AST4ADT,M3.2.0,M11.1.0 America/Glace_Bay America/Goose_Bay America/Halifax America/Moncton
 America/Thule Atlantic/Bermuda Canada/Atlantic
AWST-8 Australia/Perth Australia/West
CAT-2 Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Juba Africa/Khartoum
 Africa/Kigali Africa/Lubumbashi Africa/Lusaka Africa/Maputo Africa/Windhoek
CET-1 Africa/Algiers Africa/Tunis
CET-1CEST,M3.5.0,M10.5.0/3 Africa/Ceuta Arctic/Longyearbyen Atlantic/Jan_Mayen CET
 Europe/Amsterdam Europe/Andorra Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels
 Europe/Budapest Europe/Busingen Europe/Copenhagen Europe/Gibraltar Europe/Ljubljana
 Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco Europe/Oslo Europe/Paris
 Europe/Podgorica Europe/Prague Europe/Rome Europe/San_Marino Europe/Sarajevo Europe/Skopje
 Europe/Stockholm Europe/Tirane Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw
 Europe/Zagreb Europe/Zurich MET Poland
CST-8 Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai Asia/Taipei
 PRC ROC
CST5CDT,M3.2.0/0,M11.1.0/1 America/Havana Cuba
CST6 America/Bahia_Banderas America/Belize America/Chihuahua America/Costa_Rica
 America/El_Salvador America/Guatemala America/Managua America/Merida America/Mexico_City
 America/Monterrey America/Regina America/Swift_Current America/Tegucigalpa Canada/Saskatchewan
 Mexico/General
CST6CDT,M3.2.0,M11.1.0 America/Chicago America/Indiana/Knox America/Indiana/Tell_City
 America/Knox_IN America/Matamoros America/Menominee America/North_Dakota/Beulah
 America/North_Dakota/Center America/North_Dakota/New_Salem America/Ojinaga America/Rainy_River
 America/Rankin_Inlet America/Resolute America/Winnipeg CST6CDT Canada/Central US/Central
 US/Indiana-Starke
ChST-10 Pacific/Guam Pacific/Saipan
EAT-3 Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti
 Africa/Kampala Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro Indian/Mayotte
EET-2 Africa/Tripoli Europe/Kaliningrad Libya
EET-2EEST,M3.5.0,M10.5.0/3 Europe/Chisinau Europe/Tiraspol
EET-2EEST,M3.5.0/0,M10.5.0/0 Asia/Beirut
EET-2EEST,M3.5.0/3,M10.5.0/4 Asia/Famagusta Asia/Nicosia EET Europe/Athens Europe/Bucharest
 Europe/Helsinki Europe/Kiev Europe/Kyiv Europe/Mariehamn Europe/Nicosia Europe/Riga Europe/Sofia
 Europe/Tallinn Europe/Uzhgorod Europe/Vilnius Europe/Zaporozhye
EET-2EEST,M4.5.5/0,M10.5.4/24 Africa/Cairo Egypt
EST5 America/Atikokan America/Cancun America/Cayman America/Coral_Harbour America/Jamaica
 America/Panama EST Jamaica
EST5EDT,M3.2.0,M11.1.0 America/Detroit America/Fort_Wayne America/Grand_Turk
 America/Indiana/Indianapolis America/Indiana/Marengo America/Indiana/Petersburg
 America/Indiana/Vevay America/Indiana/Vincennes America/Indiana/Winamac America/Indianapolis
 America/Iqaluit America/Kentucky/Louisville America/Kentucky/Monticello America/Louisville
 America/Montreal America/Nassau America/New_York America/Nipigon America/Pangnirtung
 America/Port-au-Prince America/Thunder_Bay America/Toronto Canada/Eastern EST5EDT US/East-Indiana
 US/Eastern US/Michigan
GMT0 Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry
 Africa/Dakar Africa/Freetown Africa/Lome Africa/Monrovia Africa/Nouakchott Africa/Ouagadougou
 Africa/Sao_Tome Africa/Timbuktu America/Danmarkshavn Atlantic/Reykjavik Atlantic/St_Helena
 Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich Iceland
GMT0BST,M3.5.0/1,M10.5.0 Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey
 Europe/London GB GB-Eire
HKT-8 Asia/Hong_Kong Hongkong
HST10 HST Pacific/Honolulu Pacific/Johnston US/Hawaii
HST10HDT,M3.2.0,M11.1.0 America/Adak America/Atka US/Aleutian
IST-1GMT0,M10.5.0,M3.5.0/1 Eire Europe/Dublin
IST-2IDT,M3.4.4/26,M10.5.0 Asia/Jerusalem Asia/Tel_Aviv Israel
IST-5:30 Asia/Calcutta Asia/Kolkata
JST-9 Asia/Tokyo Japan
KST-9 Asia/Pyongyang Asia/Seoul ROK
MSK-3 Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd W-SU
MST7 America/Creston America/Dawson America/Dawson_Creek America/Fort_Nelson America/Hermosillo
 America/Mazatlan America/Phoenix America/Whitehorse Canada/Yukon MST Mexico/BajaSur US/Arizona
MST7MDT,M3.2.0,M11.1.0 America/Boise America/Cambridge_Bay America/Ciudad_Juarez America/Denver
 America/Edmonton America/Inuvik America/Shiprock America/Yellowknife Canada/Mountain MST7MDT
 Navajo US/Mountain
NST3:30NDT,M3.2.0,M11.1.0 America/St_Johns Canada/Newfoundland
NZST-12NZDT,M9.5.0,M4.1.0/3 Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland
PKT-5 Asia/Karachi
PST-8 Asia/Manila
PST8PDT,M3.2.0,M11.1.0 America/Ensenada America/Los_Angeles America/Santa_Isabel America/Tijuana
 America/Vancouver Canada/Pacific Mexico/BajaNorte PST8PDT US/Pacific
SAST-2 Africa/Johannesburg Africa/Maseru Africa/Mbabane
SST11 Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa
UTC0 Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT UTC Universal Zulu
WAT-1 Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos
 Africa/Libreville Africa/Luanda Africa/Malabo Africa/Ndjamena Africa/Niamey Africa/Porto-Novo
WET0WEST,M3.5.0/1,M10.5.0 Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira
 Europe/Lisbon Portugal WET
WIB-7 Asia/Jakarta Asia/Pontianak
WIT-9 Asia/Jayapura
WITA-8 Asia/Makassar Asia/Ujung_Pandang
)";
}

}  // namespace ksim
