package main

import "fmt"

// object is a schema with these properties, all of them texts, of which the first is required.
func object(properties ...string) string {
	required, all := properties[0], ""
	for i := 0; i < len(properties); i += 2 {
		all += fmt.Sprintf(`,%q:{"type":"string","description":%q}`, properties[i], properties[i+1])
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%q],"additionalProperties":false}`, all[1:], required)
}

type row = map[string]any

// where returns the rows that have these values.
func where(rows []row, in row, keys ...string) []row {
	found := []row{}
next:
	for _, r := range rows {
		for _, k := range keys {
			if want, ok := in[k]; ok && r[k] != want {
				continue next
			}
		}
		found = append(found, r)
	}
	return found
}

var (
	customers = []row{
		{"id": "c-1", "name": "Lighthouse Hotels", "region": "north"},
		{"id": "c-2", "name": "Fjord Cafés", "region": "north"},
		{"id": "c-3", "name": "Dune Offices", "region": "west"},
		{"id": "c-4", "name": "Northern Schools", "region": "north"},
	}
	orders = []row{
		{"id": "A-1", "customer": "c-1", "sku": "lamp", "count": 40, "status": "open"},
		{"id": "A-2", "customer": "c-1", "sku": "desk", "count": 2, "status": "open"},
		{"id": "A-3", "customer": "c-2", "sku": "chair", "count": 12, "status": "open"},
		{"id": "A-4", "customer": "c-2", "sku": "lamp", "count": 90, "status": "shipped"},
		{"id": "A-5", "customer": "c-3", "sku": "lamp", "count": 99, "status": "open"},
		{"id": "A-6", "customer": "c-4", "sku": "board", "count": 5, "status": "open"},
		{"id": "A-7", "customer": "c-4", "sku": "chair", "count": 300, "status": "open"},
	}
	stock   = map[any]int{"lamp": 10, "desk": 7, "chair": 25, "board": 0}
	tickets = []row{{"ticket": "T-1", "customer": "c-4", "order": "A-7", "title": "Chairs for the new school"}}
)

// What is only there to be shown to the model answers with nothing.
func nothing(row) any { return row{} }

var shopTools = []tool{
	{
		"list_orders", "List the orders of a customer, newest first", object("customer", "The customer's id", "status", "open, shipped or cancelled; all if left out"),
		func(in row) any { return row{"orders": where(orders, in, "customer", "status")} },
	},
	{
		"stock_level", "Tell how many pieces of an article are in stock", object("sku", "The article's number"),
		func(in row) any { return row{"pieces": stock[in["sku"]]} },
	},
	{"get_order", "Get an order with its history and all its items", object("id", "The order's id"), nothing},
	{"cancel_order", "Cancel an order that is not shipped yet", object("id", "The order's id", "reason", "Shown to the customer"), nothing},
	{"search_articles", "Search the articles by words of their names and descriptions", object("query", "Words", "category", "Only of this category", "cursor", "Of the page before"), nothing},
	{"reserve_stock", "Set pieces aside for an order", object("order", "The order's id", "sku", "The article's number", "until", "A date, such as 2026-12-31"), nothing},
	{"list_suppliers", "List who delivers an article, with prices and days", object("sku", "The article's number"), nothing},
	{"order_from_supplier", "Order pieces of an article from a supplier", object("supplier", "The supplier's id", "sku", "The article's number", "pieces", "A whole number"), nothing},
}

var crmTools = []tool{
	{
		"list_customers", "List the customers of a region", object("region", "north, east, south or west"),
		func(in row) any { return row{"customers": where(customers, in, "region")} },
	},
	{"get_customer", "Get a customer with its addresses, terms and contacts", object("id", "The customer's id"), nothing},
	{"list_contacts", "List the people to talk to at a customer", object("customer", "The customer's id", "role", "Such as buyer"), nothing},
	{"log_meeting", "Write down what was said in a meeting or on the phone", object("customer", "The customer's id", "contact", "The contact's id", "summary", "What was said"), nothing},
	{"list_opportunities", "List what may be sold to a customer", object("customer", "The customer's id", "stage", "Such as offer"), nothing},
	{"update_opportunity", "Move an opportunity to another stage", object("id", "The opportunity's id", "stage", "Such as won", "note", "Why"), nothing},
	{"send_mail", "Send a mail to a contact", object("contact", "The contact's id", "subject", "A line", "body", "Plain text"), nothing},
}

// desk are the plugin's.
var desk = []tool{
	{
		"list_tickets", "List the tickets of a customer", object("customer", "The customer's id"),
		func(in row) any { return where(tickets, in, "customer") },
	},
	{
		"open_ticket", "Open a ticket about an order", object("order", "The order's id", "title", "A line"),
		func(in row) any { return row{"ticket": fmt.Sprint("T-", in["order"])} },
	},
}
