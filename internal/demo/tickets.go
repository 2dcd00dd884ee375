package demo

import (
	"strings"
	"time"
)

// topic is what a ticket is about: its subject, what the customer writes, what is answered. {product}, {order} and {name} are filled in.
type topic struct{ subject, asks, answers string }

func topics() []topic {
	return []topic{
		{"Zip of {product} broken", "The zip of our {product} gave way after two weeks. Can we have it repaired or replaced?|We need it back before the season starts.",
			"We are sorry, {name}. Please send it in with order {order} on the slip; repair takes about ten days.|A replacement left our warehouse today."},
		{"Where is order {order}?", "The parcel of order {order} was announced for Monday and has not arrived.|The tracking page has not moved since Friday.",
			"The carrier has it in their depot and delivers tomorrow.|We have opened a search with the carrier and keep you posted."},
		{"Wrong size in order {order}", "We ordered the {product} in large and got medium.|Can you send the right ones first?",
			"Our mistake. The right ones go out today, a return label is attached.|Thank you, the return has arrived."},
		{"Question about {product}", "Does the {product} come with spare parts, and for how long can we get them?|Is there a price for more than twenty?",
			"Spare parts are kept for ten years, {name}.|From twenty pieces there are ten per cent off."},
		{"Invoice for {order} does not match", "The invoice of order {order} shows a line we did not order.|Please send a corrected one, our accounting is waiting.",
			"You are right, one line was entered twice. A corrected invoice follows.|The credit note is on its way."},
		{"Return of {product}", "We would like to return three {product}, unused and in their wrapping.",
			"That is fine within sixty days. The label is attached, {name}.|The return has arrived, the credit follows this week."},
		{"Change of delivery address", "We are moving at the end of the month. Please send order {order} to the new place.",
			"Noted. The address is changed for all open orders."},
		{"Leaking seam on {product}", "After one night of rain there was water inside the {product}.|Photos are attached.",
			"That should not happen. Please send it in; we cover it under guarantee.|The seam was sealed again and tested."},
		{"Catalogue for the coming season", "Could you send us ten printed catalogues for the shop, {name} asks.", "They go out with your next order."},
	}
}

func (b *business) makeTickets() {
	tickets := b.table("tickets", "id customer_id contact_id order_id employee_id subject status priority opened_at closed_at")
	notes := b.table("ticket_notes", "id ticket_id employee_id from_customer body written_at")
	injected := false
	for i, o := range b.orders {
		if i%5 != 0 || !b.chance(88) {
			continue
		}
		topic := pick(b, topics())
		opened := b.workTime(o.at.Truncate(24*time.Hour).AddDate(0, 0, 2+b.IntN(20)))
		if opened.After(b.today) {
			continue
		}
		status, closed := b.ticketState(opened)
		var until any
		if !closed.IsZero() {
			until = moment(closed)
		}
		fill := strings.NewReplacer("{product}", b.products[o.lines[0].product-1].name, "{order}", o.number, "{name}", o.client.first)
		priority := pick(b, strings.Fields("low normal normal normal normal high high urgent"))
		id := tickets.add(o.client.id, pick(b, o.client.contacts), b.orNull(85, o.id), o.client.rep, fill.Replace(topic.subject), status, priority,
			moment(opened), until)
		b.makeNotes(notes, id, o.client.rep, opened, topic, fill, status)
		if !injected && o.client.rep == AgentID && status == "open" {
			notes.add(id, nil, 1, Injected, moment(opened.Add(time.Hour)))
			injected = true
		}
	}
}

func (b *business) ticketState(opened time.Time) (string, time.Time) {
	days := int(b.today.Sub(opened).Hours() / 24)
	switch {
	case days < 6 && b.chance(70), days < 40 && b.chance(25), b.chance(1):
		return pick(b, []string{"open", "open", "waiting"}), time.Time{}
	case days < 14:
		return "solved", b.closing(opened, 3)
	}
	return "closed", b.closing(opened, 12)
}

// closing is some days after, never in the future.
func (b *business) closing(opened time.Time, within int) time.Time {
	at := b.workTime(opened.Truncate(24*time.Hour).AddDate(0, 0, 1+b.IntN(within)))
	if at.After(b.today) {
		return b.today
	}
	return at
}

// makeNotes writes the exchange: a question, mostly an answer, now and then more.
func (b *business) makeNotes(t *table, ticket, rep int, at time.Time, topic topic, fill *strings.Replacer, status string) {
	asks, answers := strings.Split(topic.asks, "|"), strings.Split(topic.answers, "|")
	for i := range max(len(asks), len(answers)) {
		if i < len(asks) && (i == 0 || b.chance(60)) {
			t.add(ticket, nil, 1, fill.Replace(asks[i]), moment(at))
			at = at.Add(time.Duration(20+b.IntN(300)) * time.Minute)
		}
		if i < len(answers) && at.Before(b.today) && (status != "open" || b.chance(50)) {
			t.add(ticket, rep, 0, fill.Replace(answers[i]), moment(at))
			at = at.Add(time.Duration(60+b.IntN(900)) * time.Minute)
		}
		if at.After(b.today) {
			return
		}
	}
}
