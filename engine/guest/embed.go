package guest

import _ "embed"

var (
	//go:embed guest.js
	guestJS string
	//go:embed lazy.js
	lazyJS string
	//go:embed web.js
	webJS string
	//go:embed clone.js
	cloneJS string
	//go:embed url_host.js
	urlHostJS string
	//go:embed url_record.js
	urlRecordJS string
	//go:embed url.js
	urlJS string
	//go:embed regexp.js
	regexpJS string
	//go:embed mended.js
	mendedJS string
	//go:embed iterator.js
	iteratorJS string
	//go:embed intl/core.js
	intlJS string
	//go:embed intl/decimal.js
	intlDecimalJS string
	//go:embed intl/number.js
	intlNumberJS string
	//go:embed intl/words.js
	intlWordsJS string
	//go:embed intl/collation.js
	intlCollationJS string
	//go:embed intl/segmenter.js
	intlSegmenterJS string
	//go:embed console.js
	consoleJS string
	//go:embed promises.js
	promisesJS string
	//go:embed intl/date_regions.js
	intlDateRegionsJS string
	//go:embed intl/date_pattern.js
	intlDatePatternJS string
	//go:embed intl/date_zone.js
	intlDateZoneJS string
	//go:embed intl/date_format.js
	intlDateFormatJS string
	//go:embed intl/date_range.js
	intlDateRangeJS string
	//go:embed store.js
	storeJS string
	//go:embed names.js
	namesJS string
)

// Eager is how many of the Sources, the first ones, a heap is booted with. The others are loaded into a heap when its
// cell first needs them, by their index.
const Eager = 2

// Sources returns the runtime's own JavaScript. Each is an expression that evaluates to a function of the host object.
func Sources() []string {
	return []string{
		guestJS, lazyJS, webJS, cloneJS, urlHostJS, urlRecordJS, urlJS, regexpJS, mendedJS, iteratorJS, intlJS, intlDecimalJS,
		intlNumberJS, intlWordsJS, intlCollationJS, intlSegmenterJS, consoleJS, promisesJS,
		intlDateRegionsJS, intlDatePatternJS, intlDateZoneJS, intlDateFormatJS, intlDateRangeJS, storeJS, namesJS,
	}
}
