const CUSTOMERS = [
  ["Ada Okafor", "NG"],
  ["Björn Lund", "SE"],
  ["Chiara Neri", "IT"],
  ["Dilan Kaya", "TR"],
  ["Emre Demir", "DE"],
  ["Fatou Diop", "SN"],
] as const;

const GOODS = [
  ["tea-assam-250", 8.4],
  ["cake-lemon", 14.9],
  ["cup-blue", 11.5],
  ["jam-plum", 5.2],
] as const;

type Item = { sku: string; quantity: number; price: number };

export type Order = {
  id: number;
  items: Item[];
  total: number;
  customer: { name: string; email: string; country: string };
};

/** One of a shop's orders; the same number makes the same order. */
export function orderOf(number: number): Order {
  const [name, country] = CUSTOMERS[number % CUSTOMERS.length] ?? CUSTOMERS[0];
  const items = GOODS.slice(0, 1 + (number % GOODS.length)).map(([sku, price], at) => {
    return { sku, quantity: 1 + ((number + at) % 3), price };
  });
  const total = items.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  const email = `${name.toLowerCase().replaceAll(/[^a-z]+/g, ".")}@mail.example`;
  return {
    id: 1041 + number,
    items,
    total: Math.round(total * 100) / 100,
    customer: { name, email, country },
  };
}
