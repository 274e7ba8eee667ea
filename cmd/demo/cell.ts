// Who in the north waits for an article that is short, and has nobody looking after it?
const { customers } = (await MCP.crm.listCustomers({ region: "north" })).structuredContent;

// All that is asked together is under way together.
const known = await Promise.all(customers.map(async (c: { id: string; name: string }) => {
  const [orders, tickets] = await Promise.all([
    MCP.shop.listOrders({ customer: c.id, status: "open" }),
    Tickets.list(c.id),
  ]);
  return { ...c, orders: orders.structuredContent.orders, tickets };
}));

const skus: string[] = [...new Set<string>(known.flatMap((c) => c.orders.map((o: { sku: string }) => o.sku)))];
const levels = await Promise.all(skus.map((sku) => MCP.shop.stockLevel({ sku })));
const stock = new Map(skus.map((sku, i) => [sku, levels[i].structuredContent.pieces as number]));

const waiting = known.flatMap((c) => c.orders
  .filter((o: { sku: string; count: number }) => o.count > stock.get(o.sku)!)
  .filter((o: { id: string }) => !c.tickets.some((t: { order: string }) => t.order === o.id))
  .map((o: { id: string; sku: string }) => ({ customer: c.name, order: o.id, sku: o.sku })));

const opened = await Promise.all(waiting.map((w) => Tickets.open(w.order, `${w.sku} is short`)));
text(`${known.length} customers, ${skus.length} articles, ${waiting.length} orders without a ticket`);
return waiting.map((w, i) => ({ ...w, ticket: opened[i].ticket }));
