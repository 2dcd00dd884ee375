package demo

import (
	"fmt"
	"strings"
	"time"
)

type product struct {
	id, price int // cents
	name      string
	weight    int
}

type line struct {
	product, quantity, price, discount int
	returned                           bool
}

type order struct {
	id      int
	number  string
	client  *client
	at      time.Time
	shipped time.Time // zero: not yet
	status  string
	lines   []line
}

// kind is what products of one category are: their nouns and the range of prices in whole euros.
type kind struct {
	parent, category, nouns string
	low, high               int
}

func kinds() []kind {
	return []kind{
		{"Camping", "Tents", "Tunnel-Tent Dome-Tent Ridge-Tent Tarp", 90, 780},
		{"Camping", "Sleeping Bags", "Down-Bag Summer-Bag Winter-Bag Liner", 25, 520},
		{"Camping", "Stoves", "Gas-Stove Multifuel-Stove Cook-Set Kettle", 18, 190},
		{"Camping", "Lights", "Headlamp Lantern Spotlight", 12, 120},
		{"Walking", "Boots", "Trail-Boot Mountain-Boot Approach-Shoe Gaiter", 35, 290},
		{"Walking", "Packs", "Daypack Trekking-Pack Dry-Bag Hip-Pack", 22, 310},
		{"Walking", "Poles", "Trekking-Pole Folding-Pole", 28, 140},
		{"Clothing", "Jackets", "Shell-Jacket Down-Jacket Fleece Windbreaker", 60, 480},
		{"Clothing", "Base Layers", "Wool-Shirt Wool-Tights Sock-Pack", 14, 110},
		{"Clothing", "Gloves", "Liner-Glove Ski-Glove Mitten", 12, 95},
		{"Climbing", "Ropes", "Single-Rope Half-Rope Cord", 20, 240},
		{"Climbing", "Harnesses", "Harness Chalk-Bag Sling", 9, 130},
		{"Water", "Paddles", "Touring-Paddle Kayak-Paddle Spare-Paddle", 45, 260},
		{"Water", "Buoyancy Aids", "Life-Vest Throw-Bag", 30, 170},
		{"Winter", "Skis", "Touring-Ski Mountain-Ski Ski-Skin", 60, 640},
		{"Winter", "Safety", "Avalanche-Probe Shovel Transceiver", 25, 330},
	}
}

func (b *business) makeProducts() {
	categories := b.table("categories", "id name parent_id")
	products := b.table("products", "id sku name category_id unit_price cost stock details discontinued")
	parents := map[string]int{}
	for _, k := range kinds() {
		if parents[k.parent] == 0 {
			parents[k.parent] = categories.add(k.parent, nil)
		}
		category := categories.add(k.category, parents[k.parent])
		for _, noun := range strings.Fields(k.nouns) {
			for range 5 {
				b.makeProduct(products, k, category, strings.ReplaceAll(noun, "-", " "))
			}
		}
	}
}

func (b *business) makeProduct(t *table, k kind, category int, noun string) {
	series := pick(b, strings.Fields("Aurora Basecamp Boreal Cairn Drift Ember Fjell Glacier Halo Isbre Kestrel Lumen Moraine Nova Osprey Pitch Ridge Summit Tundra Vidda"))
	id := len(t.rows) + 1
	name := fmt.Sprintf("%s %s %d", series, noun, 100+id)
	price := (k.low+b.IntN(k.high-k.low))*100 - pick(b, []int{0, 5, 10, 50})
	details := fmt.Sprintf(`{"weight_g":%d,"colour":%q,"guarantee_years":%d}`, 50+b.IntN(4000),
		pick(b, []string{"black", "blue", "green", "orange", "red", "sand"}), pick(b, []int{2, 2, 3, 5, 10}))
	sku := fmt.Sprintf("%s-%04d", strings.ToUpper(k.category[:2]), 1000+id)
	t.add(sku, name, category, money(price), money(price*(45+b.IntN(25))/100), b.IntN(240), details, yes(b.chance(7)))
	b.products = append(b.products, product{id: id, price: price, name: name, weight: 1 + b.IntN(6)})
}

// days of orders: about nine a working day, more before the seasons, and growing.
func (b *business) makeOrders() {
	t := b.table("orders", "id number customer_id employee_id status ordered_at shipped_at currency note cancel_reason")
	lines := b.table("order_lines", "id order_id position product_id quantity unit_price discount returned cancelled")
	clients, products := b.weighted()
	for d := b.start; d.Before(b.today); d = d.AddDate(0, 0, 1) {
		if d.Weekday() == time.Sunday {
			continue
		}
		age := int(d.Sub(b.start).Hours() / 24)
		season := []int{8, 8, 9, 11, 13, 14, 11, 10, 11, 12, 14, 13}[d.Month()-1]
		for range season*(520+age)/1000 + b.IntN(4) {
			o := b.makeOrder(t, clients[b.IntN(len(clients))], b.workTime(d))
			b.makeLines(lines, o, products)
		}
	}
}

// weighted lists customers and products as often as they trade.
func (b *business) weighted() (clients []*client, products []*product) {
	for i := range b.clients {
		for range b.clients[i].weight {
			clients = append(clients, &b.clients[i])
		}
	}
	for i := range b.products {
		for range b.products[i].weight {
			products = append(products, &b.products[i])
		}
	}
	return clients, products
}

func (b *business) makeOrder(t *table, c *client, at time.Time) *order {
	o := order{number: fmt.Sprintf("SO-%d", 20001+len(t.rows)), client: c, at: at, status: "delivered"}
	days := int(b.today.Sub(at).Hours() / 24)
	switch {
	case b.chance(4):
		o.status = "cancelled"
	case days < 2:
		o.status = pick(b, []string{"pending", "pending", "confirmed"})
	case days < 5:
		o.status = pick(b, []string{"confirmed", "confirmed", "shipped", "pending"})
	case days < 12:
		o.status = pick(b, []string{"shipped", "shipped", "delivered"})
	}
	var shipped any
	if o.status == "shipped" || o.status == "delivered" {
		o.shipped = b.workTime(at.Truncate(24*time.Hour).AddDate(0, 0, 1+b.IntN(3)))
		shipped = moment(o.shipped)
	}
	note := pick(b, []string{"Please deliver before noon.", "Ring the bell at the gate.", "Gift wrapping, no price on the slip.", "Partial delivery is fine.",
		"Same as last time, thank you.", "For the autumn course."})
	var reason any
	if o.status == "cancelled" {
		reason = []string{"no longer needed", "ordered by mistake", "delivery takes too long"}[len(t.rows)%3]
	}
	o.id = t.add(o.number, c.id, pick(b, b.sellers), o.status, moment(at), shipped, "EUR", b.orNull(12, note), reason)
	b.orders = append(b.orders, o)
	return &b.orders[len(b.orders)-1]
}

func (b *business) makeLines(t *table, o *order, products []*product) {
	for i := range 1 + b.IntN(3) + b.IntN(3) {
		p := pick(b, products)
		l := line{product: p.id, quantity: 1 + b.IntN(3)*b.IntN(5), price: p.price, returned: o.status == "delivered" && b.chance(3)}
		if l.quantity >= 6 {
			l.discount = pick(b, []int{5, 10, 10, 15})
		}
		t.add(o.id, i+1, l.product, l.quantity, money(l.price), money(l.discount*100), yes(l.returned), yes(o.status == "cancelled"))
		o.lines = append(o.lines, l)
	}
}

func (b *business) notAfterToday(t time.Time) time.Time {
	if t.After(b.today) {
		return b.today
	}
	return t
}

func (o order) total() int {
	sum := 0
	for _, l := range o.lines {
		sum += (l.price*l.quantity*(100-l.discount) + 50) / 100
	}
	return sum
}

func (b *business) makeInvoices() {
	invoices := b.table("invoices", "id number order_id customer_id issued_on due_on status total")
	payments := b.table("payments", "id invoice_id paid_on amount method reference")
	refunds := b.table("refunds", "id invoice_id amount reason refunded_on")
	for _, o := range b.orders {
		if o.shipped.IsZero() {
			continue
		}
		issued := o.shipped.Truncate(24*time.Hour).AddDate(0, 0, b.IntN(2))
		due, paid := issued.AddDate(0, 0, 30), issued.AddDate(0, 0, 5+b.IntN(34))
		status := "paid"
		switch late := b.chance(3); {
		case issued.After(b.today):
			status = "draft"
		case b.chance(1):
			status = "credited"
		case late || paid.After(b.today):
			status = "sent"
			if due.Before(b.today) {
				status = "overdue"
			}
		}
		number := fmt.Sprintf("INV-%d", 50001+len(invoices.rows))
		id := invoices.add(number, o.id, o.client.id, day(issued), day(due), status, money(o.total()))
		if status == "credited" {
			refunds.add(id, money(o.total()), []string{"returned", "damaged", "never arrived", "goodwill"}[id%4], day(b.notAfterToday(issued.AddDate(0, 0, 9))))
		}
		if status == "paid" {
			b.pay(payments, id, number, paid, o.total())
		}
	}
}

// pay settles an invoice: now and then in two parts.
func (b *business) pay(t *table, invoice int, number string, on time.Time, total int) {
	method := pick(b, []string{"transfer", "transfer", "transfer", "card", "direct debit"})
	if b.chance(4) && total > 100_00 {
		t.add(invoice, day(on.AddDate(0, 0, -3)), money(total/2), method, number+"/1")
		total -= total / 2
	}
	t.add(invoice, day(on), money(total), method, b.orNull(85, number))
}
