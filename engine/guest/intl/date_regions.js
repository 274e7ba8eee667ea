// How dates are written in English, region by region: the patterns of each combination of fields, of the four styles, and
// which clock is usual. Letters as in Unicode TR 35; "_" is the narrow space before AM and PM.
(function (host) {
	"use strict";

	const { create } = host.object;
	const { setPrototypeOf } = host.reflect;
	const uncurry = host.uncurry;
	const indexOf = uncurry(host.text.indexOf), slice = uncurry(host.text.slice);

	// What the United States write. The names are combinations of fields; d… and t… are the styles of dates and times; what
	// begins with "-" is a text, or texts with "|" between.
	const US = "Bh=h B;Bhm=h:mm B;Bhms=h:mm:ss B;EBhm=E h:mm B;EBhms=E h:mm:ss B;EHm=E HH:mm;EHms=E HH:mm:ss;Ed=d E;Eh=E h_a;" +
		"Ehm=E h:mm_a;Ehms=E h:mm:ss_a;Gy=y G;GyM=M/y G;GyMEd=E, M/d/y G;GyMMM=MMM y G;GyMMMEd=E, MMM d, y G;" +
		"GyMMMd=MMM d, y G;GyMd=M/d/y G;H=HH;Hm=HH:mm;Hms=HH:mm:ss;Hmsv=HH:mm:ss v;Hmv=HH:mm v;Hv=HH'h' v;M=L;" +
		"MEd=E, M/d;MMM=LLL;MMMEd=E, MMM d;MMMd=MMM d;MMMMd=MMMM d;MMdd=MM/dd;Md=M/d;d=d;E=E;h=h_a;hm=h:mm_a;hms=h:mm:ss_a;" +
		"hmsv=h:mm:ss_a v;hmv=h:mm_a v;hv=h_a v;ms=mm:ss;y=y;yM=M/y;yMEd=E, M/d/y;yMMM=MMM y;yMMMEd=E, MMM d, y;" +
		"yMMMM=MMMM y;yMMMd=MMM d, y;yMd=M/d/y;dfull=EEEE, MMMM d, y;dlong=MMMM d, y;dmedium=MMM d, y;dshort=M/d/yy;" +
		"tfull=h:mm:ss_a zzzz;tlong=h:mm:ss_a z;tmedium=h:mm:ss_a;tshort=h:mm_a" +
		";-hc=h12;-ap=AM|PM;-sep=Sep";
	// The others, as what differs from another region: its name, then the entries.
	const REGIONS = [
		"001", "US", "Ed=E d;MMdd=dd/MM;GyMEd=E, dd/MM/y G;GyMMMEd=E, d MMM y G;GyMMMd=d MMM y G;GyMd=dd/MM/y G;MEd=E, dd/MM;MMMEd=E, d MMM;" +
		"MMMd=d MMM;MMMMd=d MMMM;Md=dd/MM;yM=MM/y;yMEd=E, dd/MM/y;yMMMEd=E, d MMM y;yMMMd=d MMM y;yMd=dd/MM/y;" +
		"dfull=EEEE, d MMMM y;dlong=d MMMM y;dmedium=d MMM y;dshort=dd/MM/y;-ap=am|pm;-sep=Sept",
		"150", "001", "tfull=HH:mm:ss zzzz;tlong=HH:mm:ss z;tmedium=HH:mm:ss;tshort=HH:mm;-hc=h23",
		"GB", "001", "GyMEd=E, d/M/y G;MEd=E dd/MM;MMMEd=E d MMM;tfull=HH:mm:ss zzzz;tlong=HH:mm:ss z;tmedium=HH:mm:ss;" +
		"tshort=HH:mm;-hc=h23",
		"AE", "001", "EBhm=E, h:mm B;EBhms=E, h:mm:ss B;GyMEd=E, M/d/y G;GyMd=M/d/y G;-ap=AM|PM;-sep=Sep",
		"AU", "001", "yMMMMEEEEd=EEEE d MMMM y;yMMMMEd=E d MMMM y;MMMMEd=E d MMMM;-narrow=Su.|M.|Tu.|W.|Th.|F.|Sa.;" +
			"MEd=E, d/M;Md=d/M;dshort=d/M/yy;-june=June|July;-noon=midday",
		"BE", "150", "MEd=E, d/M;Md=d/M;yMEd=E, d/M/y;yMd=d/M/y;dmedium=dd MMM y;dshort=dd/MM/yy",
		"BW", "001", "GyMMMEd=E, dd MMM y G;GyMMMd=dd MMM y G;MMMEd=E, dd MMM;MMMd=dd MMM;yMMMEd=E, dd MMM y;yMMMd=dd MMM y;" +
		"dfull=EEEE, dd MMMM y;dlong=dd MMMM y;dmedium=dd MMM y;dshort=dd/MM/yy;tfull=HH:mm:ss zzzz;tlong=HH:mm:ss z;" +
		"tmedium=HH:mm:ss;tshort=HH:mm;-hc=h23",
		"BZ", "001", "MMMEd=E, dd MMM;MMMd=dd MMM;yMMMEd=E, dd MMM y;yMMMd=dd MMM y;dfull=EEEE, dd MMMM y;dlong=dd MMMM y;" +
		"dmedium=dd-MMM-y;dshort=dd/MM/yy;tfull=HH:mm:ss zzzz;tlong=HH:mm:ss z;tmedium=HH:mm:ss;tshort=HH:mm;-hc=h23",
		"CA", "US", "MMdd=MM-dd;Ed=E d;MEd=E, MM-dd;Md=MM-dd;yM=y-MM;yMEd=E, y-MM-dd;yMd=y-MM-dd;dshort=y-MM-dd;-ap=a.m.|p.m.;" +
		"-periods=mor|aft|eve|night",
		"CH", "150", "GyMd=d.M.y G;MEd=E, dd.MM;Md=dd.MM;yM=MM.y;yMEd=E, dd.MM.y;yMd=dd.MM.y;dshort=dd.MM.y",
		"HK", "001", "yMd=d/M/y;dshort=d/M/y",
		"IE", "001", "MEd=E, d/M;Md=d/M;yMEd=E, d/M/y;yMMMEd=E d MMM y;yMd=d/M/y;dfull=EEEE d MMMM y;tfull=HH:mm:ss zzzz;" +
		"tlong=HH:mm:ss z;tmedium=HH:mm:ss;tshort=HH:mm;-hc=h23",
		"IL", "001", "EHm=E H:mm;EHms=E H:mm:ss;H=H;Hm=H:mm;Hms=H:mm:ss;tfull=H:mm:ss zzzz;tlong=H:mm:ss z;tmedium=H:mm:ss;" +
		"tshort=H:mm;-hc=h23",
		"IN", "001", "EBhm=E, h:mm B;EBhms=E, h:mm:ss B;EHm=E, HH:mm;EHms=E, HH:mm:ss;Ehm=E, h:mm_a;Ehms=E, h:mm:ss_a;" +
		"yMEd=E, d/M/y;yMMMEd=E, d MMM, y;yMd=d/M/y;dshort=dd/MM/yy",
		"JP", "US", "GyMd=y/MM/dd G;H=H;Hm=H:mm;Hms=H:mm:ss;Hmsv=H:mm:ss v;Hmv=H:mm v;yM=MM/y;yMEd=E, y/MM/dd;yMd=y/MM/dd;" +
		"dshort=y/MM/dd;tfull=H:mm:ss zzzz;tlong=H:mm:ss z;tmedium=H:mm:ss;tshort=H:mm;-hc=h23",
		"MT", "001", "MMMd=dd MMM;yMMMEd=E, dd MMM y;yMMMd=dd MMM y;dlong=dd MMMM y;dmedium=dd MMM y;tfull=HH:mm:ss zzzz;" +
		"tlong=HH:mm:ss z;tmedium=HH:mm:ss;tshort=HH:mm;-hc=h23",
		"NZ", "001", "Md=d/M;yMd=d/MM/y",
		"PK", "001", "dmedium=dd-MMM-y",
		"SE", "150", "yM=y-MM;yMEd=E, y-MM-dd;yMd=y-MM-dd;dshort=y-MM-dd",
		"SG", "001", "dshort=d/M/yy",
		"ZA", "001", "MEd=E, MM/dd;MMMEd=E, dd MMM;MMMd=dd MMM;Md=MM/dd;yMEd=E, y/MM/dd;yMMMEd=E, dd MMM y;yMMMd=dd MMM y;" +
		"yMd=y/MM/dd;dfull=EEEE, dd MMMM y;dlong=dd MMMM y;dmedium=dd MMM y;dshort=y/MM/dd;tfull=HH:mm:ss zzzz;" +
		"tlong=HH:mm:ss z;tmedium=HH:mm:ss;tshort=HH:mm;-hc=h23",
		"ZW", "001", "MEd=E, d/M;MMMEd=E, dd MMM;MMMd=dd MMM;Md=d/M;yMEd=E, d/M/y;yMMMEd=E, dd MMM, y;yMMMd=dd MMM, y;yMd=d/M/y;" +
		"dfull=EEEE, dd MMMM y;dlong=dd MMMM y;dmedium=dd MMM,y;dshort=d/M/y;tfull=HH:mm:ss zzzz;tlong=HH:mm:ss z;" +
		"tmedium=HH:mm:ss;tshort=HH:mm;-hc=h23",
	];
	// Regions that write dates as the world in general does, with the clock of 24 hours; and as the United States do.
	const EUROPE = " AI AT CC CK CM CX CZ DE DG DK EE ES FI FK FR GE GG GI GS HU ID IM IO IT JE KE LT LV MG MS MU MV NF NG NL NO " +
		"NR NU PL PN PT RO RW SC SH SI SK SX TK TV TZ UA UG ";
	const AMERICA = " AS BI GU MH MP PH PR UM US VI ";

	// Regions with a comma before fractions of seconds.
	const COMMA = " AT BE CZ DE DK EE ES FI FR GE HU ID IT NL NO PL PT RO SE SI SK ZA ";

	const tables = create(null);

	// read adds the entries of one text to a table.
	function read(text, table) {
		for (let at = 0; at < text.length;) {
			const equals = indexOf(text, "=", at), end = indexOf(text, ";", at) < 0 ? text.length : indexOf(text, ";", at);
			let value = "";
			for (let i = equals + 1; i < end; i++) value += text[i] === "_" ? "\u202f" : text[i];
			table[slice(text, at, equals)] = value;
			at = end + 1;
		}
		return table;
	}

	// tableOf returns the patterns of a region, by name.
	function tableOf(region) {
		if (tables[region] !== undefined) return tables[region];
		let table;
		for (let i = 0; i < REGIONS.length && table === undefined; i += 3) {
			if (REGIONS[i] === region) table = read(REGIONS[i + 2], copy(tableOf(REGIONS[i + 1])));
		}
		if (table === undefined) {
			table = region === "" || indexOf(AMERICA, " " + region + " ") >= 0
				? read(US, create(null))
				: tableOf(indexOf(EUROPE, " " + region + " ") >= 0 ? "150" : "001");
		}
		return tables[region] = table;
	}

	function copy(table) {
		const to = create(null);
		for (const key in table) to[key] = table[key];
		return to;
	}

	// A list of our own: a setter that a cell puts on Array.prototype is not reached by it.
	const list = (values = []) => {
		setPrototypeOf(values, null);
		return values;
	};

	const part = create(null);
	part.tableOf = tableOf;
	part.list = list;
	part.decimalOf = (region) => (region !== "" && indexOf(COMMA, " " + region + " ") >= 0 ? "," : ".");
	part.isEurope = (region) => region === "150" || indexOf(EUROPE + "BE CH SE ", " " + region + " ") >= 0;
	host.intl.parts.DateRegions = part;
})
