// Compiled by ctest with only the public headers in reach: as it stands it compiles; with each of the macros it must
// not.
#include <holdfast/app.h>
#include <holdfast/client.h>
#include <holdfast/transaction.h>

struct Picture {
    std::string file;
    int width = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Picture, file, width)

struct Stranger {};  // nlohmann-json cannot convert it

inline const holdfast::Task<Picture, int> resize{"resize"};
inline const holdfast::Task<holdfast::Nothing, holdfast::Nothing> tidy{"tidy"};

void register_functions() {
    holdfast::App app;
    const holdfast::Task<Picture, int> made =
        app.task<Picture, int>("measure", [](const Picture& p) { return p.width; });
    app.task(resize, [](holdfast::Context&, const Picture& p) -> holdfast::Result<int, holdfast::TaskError> {
        return p.width;
    });
    app.task(tidy, [](const holdfast::Nothing&) {});
    (void)made;
#ifdef WRONG_ARGUMENT
    app.task(resize, [](const std::string&) { return 1; });
#endif
#ifdef WRONG_RETURN
    app.task(resize, [](const Picture& p) { return p.file; });
#endif
#ifdef NO_RETURN
    app.task(resize, [](const Picture&) {});
#endif
}

void use(holdfast::Client& client, pg_conn* connection) {
    const Picture cat{"cat.png", 640};
    const holdfast::TaskHandle<int> handle = client.submit(resize, cat);
    client.submit(resize, {"cat.png", 640});
    client.submit(tidy, {});
    client.submit_many({holdfast::request(resize, cat)});
    holdfast::submit_in_transaction(connection, resize, cat);
    const holdfast::Result<int, holdfast::TaskError> result = client.wait(handle);
    (void)result;
#ifdef WRONG_TYPE
    client.submit(resize, std::string("cat.png"));
#endif
#ifdef UNTYPED_JSON
    client.submit(resize, nlohmann::json{{"file", "cat.png"}});
#endif
#ifdef WRONG_TYPE_IN_BATCH
    client.submit_many({holdfast::request(resize, 640)});
#endif
#ifdef WRONG_TYPE_IN_TRANSACTION
    holdfast::submit_in_transaction(connection, resize, 640);
#endif
#ifdef NOT_JSON
    const holdfast::Task<Stranger, int> strange{"strange"};
#endif
#ifdef WRONG_RESULT
    const holdfast::Result<std::string, holdfast::TaskError> text = client.wait(handle);
#endif
}
