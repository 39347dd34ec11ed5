import FoundationEssentials
import FunctionKit
import Testing

@testable import Runner

/// The names in an exported test for what a stranger must not see.
struct PseudonymsTests {
  private static let columns = ["comments": Set(["id", "user_id", "content", "name", "email"])]

  private static func json(_ text: String) throws -> RawJSON { try RawJSON(validating: Array(text.utf8)[...]) }

  private static func row(_ text: String, redacted: [String] = []) throws -> RawJSON {
    var pseudonyms = Pseudonyms(columns: columns, redacted: redacted)
    return pseudonyms.row(try json(text))
  }

  private static func event(_ text: String) throws -> RawJSON {
    var pseudonyms = Pseudonyms(columns: columns, sample: try json(#"{"data":{"messages":[{"urgent":true}]}}"#))
    return pseudonyms.event(try json(text))
  }

  @Test func theSameValueHasTheSamePseudonymEverywhere() throws {
    var pseudonyms = Pseudonyms(columns: Self.columns)
    let first = pseudonyms.row(
      try Self.json(#"{"user_id":"sdk-ben","name":"Ada","id":"A0000000-0000-4000-8000-00000000000F"}"#))
    let second = pseudonyms.row(
      try Self.json(
        """
        {"actor":"sdk-ben","actor_name":"Ada","user_id":"sdk-dan","subject_id":"votes/a0000000-0000-4000-8000-00000000000f",
         "email":"Jörg@Example.com","user_email":"jörg@example.com"}
        """))
    let event = pseudonyms.event(try Self.json(#"{"partitionkey":"sdk-ben","actorid":"sdk-dan"}"#))
    #expect(first["user_id"] == second["actor"] && first["name"] == second["actor_name"])
    #expect(event["partitionkey"] == second["actor"] && event["actorid"] == second["user_id"])
    #expect(second["actor"] != second["user_id"])
    #expect(second["subject_id"]?.stringValue == "votes/\(first["id"]?.stringValue ?? "")")
    #expect(second["email"] == second["user_email"] && second["email"]?.stringValue == "person-1@example.com")
  }

  @Test(arguments: [
    ("name", "Ada"), ("title", "dark"), ("content", "We are on it."), ("body", "soon"), ("category", "Two words"),
    ("token", "tokentoken"), ("api_key", "demo"), ("value", "abc"), ("remark", "a1b2c3d4e5f6"), ("sealed", "xyz"),
    ("phone", "555-1234"), ("location", "home"), ("user_id", "ada"), ("payload", #"{\"aps\":1}"#),
    ("card", "4111-1111-1111-1111"), ("contact", "0170-1234-5678"), ("ip", "192.168.1.7"), ("lat", "48.1371"),
    ("passphrase", "correcthorse"), ("timezone", "Ada"), ("locale", "whatever-ada-writes"),
    ("homepage", "acme.com/ada"),
    ("status", "0170"), ("dedupe_key", "ada/Ada"), ("nickname", "open"), ("anything", "pending"),
  ])
  func aPersonsOwnWordsAndSecretsAreReplaced(member: String, value: String) throws {
    let new = try Self.row(#"{"\#(member)":"\#(value)"}"#, redacted: ["sealed"])[member]?.stringValue
    #expect(new?.isEmpty == false && new?.contains(value) == false, "\(new ?? "")")
  }

  @Test(arguments: [
    ("status", "in_progress"), ("platform", "iOS"), ("importance", "actionRequired"),
    ("created_at", "2026-11-29T19:14:42.123456+00:00"), ("quiet_hours_start", "22:00:00"), ("start", "23:30"),
    ("timezone", "America/New_York"), ("timezone", "America/Argentina/Ushuaia"), ("timezone", "Etc/GMT+3"),
    ("language", "de-AT"), ("locale", "zh-Hant-TW"), ("target", ""), ("reason", "quiet_hours"), ("day", "2026-11-29"),
    ("token_expires_at", "2026-11-29T19:14:42Z"),
  ])
  func whatFunctionsDecideByStays(member: String, value: String) throws {
    #expect(try Self.row(#"{"\#(member)":"\#(value)"}"#)[member]?.stringValue == value)
  }

  @Test func placesAndSecretsThatAreNoTextsAreEmptied() throws {
    let new = try Self.row(
      """
      {"location_latitude":48.1,"lon":11,"token_count":7,"secrets":{"a":"b"},"hashes":["x"],"limit":3,"on":true,
       "none":null}
      """)
    #expect(new["location_latitude"]?.printable == "0" && new["lon"]?.printable == "0")
    // A column may be neither null nor 0.
    #expect(new["token_count"]?.printable == "1")
    #expect(new["secrets"]?.printable == "{}" && new["hashes"]?.printable == "[]")
    #expect(new["limit"]?.intValue == 3 && new["on"]?.printable == "true" && new["none"]?.kind == .null)
  }

  @Test func ofACallOnlyKnownMembersAndSmallNumbersStay() throws {
    let new = try Self.event(
      """
      {"specversion":"1.0","id":"1","source":"https://acme.com/users/ada","type":"com.acme.ada.asked","traceparent":"x",
       "data":{"messages":[{"urgent":true}],"votes":{"Ada":"yes","0170123":"no","ada":1},"phone":491701234567,"pin":4839,
       "count":3,"by":"ada"}}
      """)
    let text = new.printable.lowercased().filter { $0 != " " }
    for word in ["ada", "0170123", "491701234567", "4839", "acme", "traceparent"] {
      #expect(!text.contains(word), "\(word): \(text)")
    }
    #expect(new["specversion"]?.stringValue == "1.0" && text.contains(#""urgent":true"#) && text.contains(":3"))
  }

  @Test func ofAChangeOnlyTheBundlesColumnsStay() throws {
    let new = try Self.event(
      """
      {"source":"/postgres/public/comments","type":"dev.push-functions.row","data":{"type":"INSERT","table":"comments",
       "schema":"public","record":{"content":"Hello","salary":7000,"id":"A0000000-0000-4000-8000-00000000000F"},
       "old_record":null}}
      """)
    let record = new["data"]?["record"]
    #expect(record?.members.map(\.name) == ["content", "id"] && record?["content"]?.stringValue == "Text 1")
    #expect(new["source"]?.stringValue == "/postgres/public/comments" && new["data"]?["type"]?.stringValue == "INSERT")
    #expect(new["type"]?.stringValue == "dev.push-functions.row" && new["data"]?["old_record"]?.kind == .null)
  }

  @Test func theEndOfAHoldTellsNothingOfThePersonsID() throws {
    let new = try Self.row(
      #"{"reason":"quiet_hours","held_until":"2026-11-29T19:14:42.123456+00:00","held_since":"2026-11-29T19:14:42+00:00"}"#
    )
    #expect(new["held_until"]?.stringValue == "2026-11-29T19:14:00+00:00")
    #expect(new["held_since"]?.stringValue == "2026-11-29T19:14:42+00:00")
    let other = try Self.row(#"{"reason":"batched","held_until":"2026-11-29T19:14:42+00:00"}"#)
    #expect(other["held_until"]?.stringValue == "2026-11-29T19:14:42+00:00")
  }
}
