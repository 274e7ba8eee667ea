package bench

import (
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"
)

// Noop is what an exec over HTTP is measured against: a handler of POST /v1/exec that only binds the request and writes an answer.
func Noop(answer json.RawMessage) http.Handler {
	e := echo.New()
	e.POST("/v1/exec", func(c echo.Context) error {
		var in struct {
			TurnID     string `json:"turnId"`
			ToolCallID string `json:"toolCallId"`
			Code       string `json:"code"`
			Language   string `json:"language"`
		}
		if err := c.Bind(&in); err != nil {
			return err
		}
		return c.JSON(http.StatusOK, answer)
	})
	return e
}
