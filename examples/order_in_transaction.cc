// Stores an order and submits the task that ships it, in one PostgreSQL transaction: either both exist or neither.
//   order_in_transaction POSTGRESQL_URL
#include <holdfast/client.h>
#include <holdfast/transaction.h>
#include <libpq-fe.h>

#include <iostream>
#include <memory>
#include <stdexcept>

inline const holdfast::Task<int, holdfast::Nothing> ship_order{"ship_order"};

namespace {

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;

void execute(PGconn* connection, const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection, sql.c_str()), PQclear);
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) throw std::runtime_error(PQerrorMessage(connection));
}

holdfast::Uuid place_order(PGconn* connection, int order, bool customer_pays) {
    execute(connection, "BEGIN");
    execute(connection, "INSERT INTO orders VALUES (" + std::to_string(order) + ")");
    const auto shipping = holdfast::submit_in_transaction(connection, ship_order, order);
    execute(connection, customer_pays ? "COMMIT" : "ROLLBACK");
    return shipping.id;
}

bool example(const std::string& url) {
    holdfast::Client client(url);  // also creates the schema
    const Connection connection(PQconnectdb(url.c_str()), PQfinish);
    execute(connection.get(), "CREATE TEMPORARY TABLE orders (id integer)");

    const bool shipped = client.get(place_order(connection.get(), 17, true)).has_value();
    const bool forgotten = !client.get(place_order(connection.get(), 18, false)).has_value();
    std::cout << "committed: " << (shipped ? "the task is there" : "THE TASK IS MISSING") << '\n'
              << "rolled back: " << (forgotten ? "there never was a task" : "THERE IS A TASK") << '\n';
    return shipped && forgotten;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: order_in_transaction POSTGRESQL_URL\n";
        return 2;
    }
    try {
        return example(argv[1]) ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
