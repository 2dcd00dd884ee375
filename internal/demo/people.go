package demo

import (
	"fmt"
	"strings"
	"time"
)

// client is a customer as the other tables need one.
type client struct {
	id, rep  int
	since    time.Time
	contacts []int
	first    string // the main contact's first name
	weight   int    // how often it orders
}

// AgentID is the employee whom the sample's support agent is: employees.id.
const AgentID = 7

func firstNames() []string {
	return strings.Fields(`Aino Anders Anja Astrid Benedikt Birgit Carl Cecilie Dag Daria Einar Elin Emil Erika Eskil Femke Filip Freja Gerda Gustav
		Hanne Harald Helmi Ida Ingrid Ivar Jana Jens Johanna Juhani Kaja Karsten Katrin Klara Lasse Leena Lena Linus Lotte Magnus Maja Malin Mara Marek
		Mathilde Mikkel Milla Nils Nora Olav Oskar Petra Pia Rasmus Rikke Ronja Runa Signe Silje Sanna Sigurd Stellan Sunniva Svea Thea Tilda Torben
		Tuva Ulla Vera Viggo Vilja Wanda Yngve`)
}

func lastNames() []string {
	return strings.Fields(`Aasland Bergholt Birkeli Brandvik Bruun Dahlmo Ekvall Elstad Engdal Fagerli Falkenau Fjellmo Granholt Grimstvedt Haukelid Heimdal
		Hjortland Holmvik Isaksrud Jernvall Kaldhol Kestrup Klintberg Kvernmo Lauritz Lindvall Lundmark Lyngmo Marstrand Myrhaug Nesvold Norgaard
		Nyberget Oksvik Osterby Ravnholt Rehbinder Rosvall Rundhaug Sandmo Selvik Skogheim Solvang Stenmark Storhaug Strandli Sundvall Svarthol
		Tangvald Tornqvist Tveitmo Ulvestad Vangsnes Vestergren Vinterli Wallmo Westrum Ytterdal`)
}

func (b *business) makeEmployees() {
	t := b.table("employees", "id first_name last_name title department manager_id email phone hired_on salary active")
	add := func(title, department string, manager any, low, high int) int {
		first, last := pick(b, firstNames()), pick(b, lastNames())
		mail := fmt.Sprintf("%s.%s%d@deputy-outdoor.example", strings.ToLower(first), strings.ToLower(last), len(t.rows)+1)
		hired := b.start.AddDate(0, 0, -b.IntN(3000))
		salary := (low + b.IntN(high-low)) * 100_00
		return t.add(first, last, title, department, manager, mail, phone(b, "+47 555"), day(hired), money(salary), 1)
	}
	boss := add("Managing Director", "management", nil, 950, 1100)
	sales := add("Head of Sales", "management", boss, 700, 800)
	support := add("Head of Support", "management", boss, 680, 760)
	warehouse := add("Head of Warehouse", "management", boss, 640, 720)
	finance := add("Head of Finance", "management", boss, 720, 800)
	for range 8 {
		b.staff = append(b.staff, add("Support Agent", "support", support, 430, 540))
	}
	for range 6 {
		b.sellers = append(b.sellers, add("Account Manager", "sales", sales, 460, 620))
	}
	for range 6 {
		add("Warehouse Worker", "warehouse", warehouse, 390, 450)
	}
	for range 3 {
		add("Accountant", "finance", finance, 480, 560)
	}
}

func phone(b *business, prefix string) string {
	return fmt.Sprintf("%s %02d %03d", prefix, b.IntN(100), b.IntN(1000))
}

// place is where customers are, and how a telephone number there begins.
type place struct {
	country, prefix, suffix string
	cities                  []string
}

func places() []place {
	return []place{
		{"Norway", "+47 555", "AS", []string{"Oslo", "Bergen", "Trondheim", "Stavanger", "Tromsø", "Bodø"}},
		{"Sweden", "+46 555", "AB", []string{"Stockholm", "Göteborg", "Malmö", "Umeå", "Uppsala"}},
		{"Denmark", "+45 555", "ApS", []string{"København", "Aarhus", "Odense", "Aalborg"}},
		{"Finland", "+358 555", "Oy", []string{"Helsinki", "Tampere", "Turku", "Oulu"}},
		{"Germany", "+49 555", "GmbH", []string{"Hamburg", "Berlin", "München", "Köln", "Leipzig", "Freiburg"}},
		{"Netherlands", "+31 555", "BV", []string{"Amsterdam", "Utrecht", "Groningen"}},
		{"Austria", "+43 555", "GmbH", []string{"Wien", "Graz", "Innsbruck"}},
	}
}

// customerName makes a name nobody has, by rule: a made-up root, a trade, a legal form.
func (b *business) customerName(p place, segment string) string {
	root := pick(b, strings.Fields("Fjord Nord Berg Hav Skog Elv Vind Stein Storm Polar Aurora Tinde Dal Mos Lyng Gran Brand Ravn Ulv Sol")) +
		pick(b, strings.Fields("vik heim mark lund stad bru fall gard holm nes strand tun voll kamp li"))
	switch segment {
	case "school":
		return root + pick(b, []string{" School", " Folk School", " College"})
	case "club":
		return root + pick(b, []string{" Trekking Club", " Ski Club", " Paddlers", " Climbing Club"})
	case "public":
		return root + pick(b, []string{" Municipality", " Rescue Service", " Park Office"})
	case "chain":
		return root + pick(b, []string{" Outdoor Group ", " Sport Group ", " Stores "}) + p.suffix
	}
	return root + pick(b, []string{" Outdoor ", " Sport ", " Fritid ", " Adventure ", " Bike & Hike ", " Equipment "}) + p.suffix
}

func (b *business) makeCustomers() {
	customers := b.table("customers",
		"id number name segment country city email phone support_rep_id credit_limit preferences since active")
	contacts := b.table("contacts", "id customer_id first_name last_name position email phone main")
	used := map[string]int{}
	for i := range 600 {
		p := places()[min(b.IntN(len(places())), b.IntN(len(places())))]
		segment := pick(b, strings.Fields("shop shop shop shop shop shop chain chain school club club public"))
		name := b.customerName(p, segment)
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s %s", name, pick(b, p.cities))
		}
		since := b.start.AddDate(0, 0, b.IntN(500)-900)
		domain := domainOf(name)
		rep := b.staff[b.IntN(len(b.staff))]
		id := customers.add(fmt.Sprintf("C-%d", 1001+i), name, segment, p.country, pick(b, p.cities), b.orNull(94, "post@"+domain),
			b.orNull(92, phone(b, p.prefix)), rep, money((1+b.IntN(40))*2500_00), b.preferences(), day(since), yes(!b.chance(6)))
		c := client{id: id, rep: rep, since: since, weight: 1 + b.IntN(3)*b.IntN(3)}
		b.makeContacts(contacts, &c, p, domain)
		b.clients = append(b.clients, c)
	}
}

func (b *business) makeContacts(t *table, c *client, p place, domain string) {
	for i := range 1 + b.IntN(3) {
		first, last := pick(b, firstNames()), pick(b, lastNames())
		if i == 0 {
			c.first = first
		}
		position := pick(b, []string{"Owner", "Buyer", "Store Manager", "Accounts", "Warehouse", "Coach"})
		c.contacts = append(c.contacts, t.add(c.id, first, last, b.orNull(90, position), strings.ToLower(first)+"@"+domain,
			b.orNull(80, phone(b, p.prefix)), yes(i == 0)))
	}
}

func (b *business) preferences() any {
	if b.chance(20) {
		return nil
	}
	return fmt.Sprintf(`{"language":%q,"newsletter":%t,"delivery":{"method":%q,"days":[%d,%d]}}`, pick(b, []string{"en", "no", "sv", "de"}),
		b.chance(55), pick(b, []string{"parcel", "pallet", "pickup"}), 1+b.IntN(2), 3+b.IntN(3))
}

// orNull is the value p times in a hundred, else NULL.
func (b *business) orNull(p int, v any) any {
	if b.chance(p) {
		return v
	}
	return nil
}

func yes(b bool) int {
	if b {
		return 1
	}
	return 0
}

// domainOf makes a domain of a name; .example is reserved for this.
func domainOf(name string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' {
			out.WriteRune(r)
		}
	}
	return out.String() + ".example"
}
