package guest

// units are those of ECMA-402: how one and several are written short, narrow and long ({0} is the number), and what stands for
// "per" this unit, short and narrow. Rows with @GB are for British English. Compound units are here where they are not written as
// their parts are; an empty form is.
const units = "\n" +
	"acre\t{0} ac;{0}ac;{0} acre|{0} acres;/ac|/ac\n" +
	"bit\t{0} bit;{0}bit;{0} bit|{0} bits;/bit|/bit\n" +
	"byte\t{0} byte;{0}B;{0} byte|{0} bytes;/byte|/B\n" +
	"celsius\t{0}°C;{0}°C;{0} degree Celsius|{0} degrees Celsius;/°C|/°C\n" +
	"centimeter\t{0} cm;{0}cm;{0} centimeter|{0} centimeters;/cm|/cm\n" +
	"centimeter@GB\t{0} cm;{0}cm;{0} centimetre|{0} centimetres;/cm|/cm\n" +
	"day\t{0} day|{0} days;{0}d;{0} day|{0} days;/d|/d\n" +
	"degree\t{0} deg;{0}°;{0} degree|{0} degrees;/deg|/°\n" +
	"fahrenheit\t{0}°F;{0}°;{0} degree Fahrenheit|{0} degrees Fahrenheit;/°F|/°\n" +
	"fahrenheit@GB\t{0}°F;{0}°F;{0} degree Fahrenheit|{0} degrees Fahrenheit;/°F|/°F\n" +
	"fluid-ounce\t{0} fl oz;{0}fl oz;{0} fluid ounce|{0} fluid ounces;/fl oz|/fl oz\n" +
	"fluid-ounce@GB\t{0} US fl oz;{0}US fl oz;{0} US fluid ounce|{0} US fluid ounces;/US fl oz|/US fl oz\n" +
	"foot\t{0} ft;{0}′;{0} foot|{0} feet;/ft|/ft\n" +
	"gallon\t{0} gal;{0}gal;{0} gallon|{0} gallons;/gal US|/gal\n" +
	"gallon@GB\t{0} US gal;{0}USgal;{0} US gallon|{0} US gallons;/US gal|/USgal\n" +
	"gigabit\t{0} Gb;{0}Gb;{0} gigabit|{0} gigabits;/Gb|/Gb\n" +
	"gigabyte\t{0} GB;{0}GB;{0} gigabyte|{0} gigabytes;/GB|/GB\n" +
	"gram\t{0} g;{0}g;{0} gram|{0} grams;/g|/g\n" +
	"hectare\t{0} ha;{0}ha;{0} hectare|{0} hectares;/ha|/ha\n" +
	"hour\t{0} hr;{0}h;{0} hour|{0} hours;/h|/h\n" +
	"hour@GB\t{0} hr|{0} hrs;{0}h;{0} hour|{0} hours;/h|/h\n" +
	"inch\t{0} in;{0}″;{0} inch|{0} inches;/in|/in\n" +
	"kilobit\t{0} kb;{0}kb;{0} kilobit|{0} kilobits;/kb|/kb\n" +
	"kilobyte\t{0} kB;{0}kB;{0} kilobyte|{0} kilobytes;/kB|/kB\n" +
	"kilogram\t{0} kg;{0}kg;{0} kilogram|{0} kilograms;/kg|/kg\n" +
	"kilometer\t{0} km;{0}km;{0} kilometer|{0} kilometers;/km|/km\n" +
	"kilometer@GB\t{0} km;{0}km;{0} kilometre|{0} kilometres;/km|/km\n" +
	"liter\t{0} L;{0}L;{0} liter|{0} liters;/L|/L\n" +
	"liter@GB\t{0} l;{0}l;{0} litre|{0} litres;/l|/l\n" +
	"megabit\t{0} Mb;{0}Mb;{0} megabit|{0} megabits;/Mb|/Mb\n" +
	"megabyte\t{0} MB;{0}MB;{0} megabyte|{0} megabytes;/MB|/MB\n" +
	"meter\t{0} m;{0}m;{0} meter|{0} meters;/m|/m\n" +
	"meter@GB\t{0} m;{0}m;{0} metre|{0} metres;/m|/m\n" +
	"microsecond\t{0} μs;{0}μs;{0} microsecond|{0} microseconds;/μs|/μs\n" +
	"mile\t{0} mi;{0}mi;{0} mile|{0} miles;/mi|/mi\n" +
	"mile-scandinavian\t{0} smi;{0}smi;{0} mile-scandinavian|{0} miles-scandinavian;/smi|/smi\n" +
	"mile-scandinavian@GB\t{0} smi;{0}smi;{0} Scandinavian mile|{0} Scandinavian miles;/smi|/smi\n" +
	"milliliter\t{0} mL;{0}mL;{0} milliliter|{0} milliliters;/mL|/mL\n" +
	"milliliter@GB\t{0} ml;{0}ml;{0} millilitre|{0} millilitres;/ml|/ml\n" +
	"millimeter\t{0} mm;{0}mm;{0} millimeter|{0} millimeters;/mm|/mm\n" +
	"millimeter@GB\t{0} mm;{0}mm;{0} millimetre|{0} millimetres;/mm|/mm\n" +
	"millisecond\t{0} ms;{0}ms;{0} millisecond|{0} milliseconds;/ms|/ms\n" +
	"minute\t{0} min;{0}m;{0} minute|{0} minutes;/min|/min\n" +
	"minute@GB\t{0} min|{0} mins;{0}m;{0} minute|{0} minutes;/min|/min\n" +
	"month\t{0} mth|{0} mths;{0}m;{0} month|{0} months;/m|/m\n" +
	"nanosecond\t{0} ns;{0}ns;{0} nanosecond|{0} nanoseconds;/ns|/ns\n" +
	"ounce\t{0} oz;{0}oz;{0} ounce|{0} ounces;/oz|/oz\n" +
	"percent\t{0}%;{0}%;{0} percent;/%|/%\n" +
	"percent@GB\t{0}%;{0}%;{0} per cent;/%|/%\n" +
	"petabyte\t{0} PB;{0}PB;{0} petabyte|{0} petabytes;/PB|/PB\n" +
	"pound\t{0} lb;{0}#;{0} pound|{0} pounds;/lb|/lb\n" +
	"pound@GB\t{0} lb;{0}lb;{0} pound|{0} pounds;/lb|/lb\n" +
	"second\t{0} sec;{0}s;{0} second|{0} seconds;/s|/s\n" +
	"second@GB\t{0} sec|{0} secs;{0}s;{0} second|{0} seconds;/s|/s\n" +
	"stone\t{0} st;{0}st;{0} stone|{0} stones;/st|/st\n" +
	"stone@GB\t{0} st;{0}st;{0} stone;/st|/st\n" +
	"terabit\t{0} Tb;{0}Tb;{0} terabit|{0} terabits;/Tb|/Tb\n" +
	"terabyte\t{0} TB;{0}TB;{0} terabyte|{0} terabytes;/TB|/TB\n" +
	"week\t{0} wk|{0} wks;{0}w;{0} week|{0} weeks;/w|/w\n" +
	"yard\t{0} yd;{0}yd;{0} yard|{0} yards;/yd|/yd\n" +
	"year\t{0} yr|{0} yrs;{0}y;{0} year|{0} years;/y|/y\n" +
	"mile-per-gallon\t{0} mpg;{0}mpg;\n" +
	"mile-per-hour\t{0} mph;{0}mph;\n" +
	"mile-per-gallon@GB\t{0} mpg US;{0}mpgUS;\n"
