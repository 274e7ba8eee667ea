package suite

import "math"

// decade is the power of ten at or below v, which is positive.
func decade(v float64) int { return int(math.Floor(math.Log10(v))) }

// decadeOf is the same without the rounding; it is never below that of a billionth.
func decadeOf(v float64) float64 { return math.Log10(max(v, 1e-9)) }
