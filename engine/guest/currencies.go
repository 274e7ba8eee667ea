package guest

// currencies are ISO 4217's codes with their decimal digits, and what English calls them: digits, symbol in en-US, symbol in
// en-GB, plural name, singular name.
const currencies = "\nUSD\t2|$|US$|US dollars|US dollar\n"
