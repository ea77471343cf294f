from dataclasses import dataclass

from holdfast import App

app = App("sales")


@dataclass
class Order:
    item: str
    cents: int
    count: int = 1


@app.task(retries=2)
def total(orders: list[Order]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for order in orders:
        totals[order.item] = totals.get(order.item, 0) + order.cents * order.count
    return totals
