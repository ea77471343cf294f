#include "views/token.h"

namespace holdfast::views {

Table<store::TokenRecord> table(Of<store::TokenRecord>) {
    using Record = store::TokenRecord;
    using Token = store::NewToken;
    static constexpr Member<Record> members[] = {
        member<&Record::token, &Token::id>("id"),
        member<&Record::token, &Token::name>("name"),
        member<&Record::token, &Token::scope>("scope"),
        member<&Record::token, &Token::queues>("queues"),
        member<&Record::created_at>("created_at"),
        member<&Record::token, &Token::who>("created_by"),
        member<&Record::token, &Token::expires_at>("expires_at"),
        member<&Record::revoked_at>("revoked_at"),
        member<&Record::last_used_at>("last_used_at"),
        member<&Record::last_used_from>("last_used_from", or_null),
    };
    return {"Token", members};
}

Table<store::SessionRecord> table(Of<store::SessionRecord>) {
    using Record = store::SessionRecord;
    using Session = store::NewSession;
    static constexpr Member<Record> members[] = {
        member<&Record::session, &Session::id>("id"),
        member<&Record::token, &store::TokenRecord::token, &store::NewToken::name>("token", "the name of its token"),
        member<&Record::created_at>("created_at"),
        member<&Record::session, &Session::from>("created_from"),
        member<&Record::last_used_at>("last_used_at"),
        member<&Record::last_used_from>("last_used_from"),
    };
    return {"PageSession", members};
}

Table<MadeToken> table(Of<MadeToken>) {
    static constexpr Member<MadeToken> members[] = {
        members_of<&MadeToken::record>(),
        member<&MadeToken::secret>("token", "the secret, shown this once"),
    };
    return {"NewToken", members};
}

}  // namespace holdfast::views
