import CLI
import FoundationEssentials
import FunctionKit
import PersonLive

extension IssuedToken {
  var document: RawJSON {
    get throws {
      let listing = try JSONCoding.encode(listing).members.map { ($0.name, $0.value) }
      return RawJSON(object: [("token", RawJSON(token.exposed))] + listing)
    }
  }

  var text: String {
    """
    \(token.exposed)

    Keep it: it is not shown again. It ends \(RFC3339.string(listing.expiresAt)).
    Before that: runner token revoke \(listing.id)
    """
  }
}

extension [TokenListing] {
  var text: String {
    var table = Table(["id", "name", "created", "expires"], flexible: ["name"], dispensable: ["created"])
    for token in self {
      table.add([token.id, token.name, TimeText.of(token.createdAt), TimeText.of(token.expiresAt)])
    }
    return isEmpty ? "No tokens." : table.text
  }
}
