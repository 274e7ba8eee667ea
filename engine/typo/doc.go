// Package typo finds the known key that a misspelt one stands for. It knows nothing of what the keys mean.
package typo
