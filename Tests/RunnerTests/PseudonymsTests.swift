import FunctionKit
import Testing

@testable import Runner

/// What stands in an exported test for what a stranger must not see.
struct PseudonymsTests {
  private static func json(_ text: String) throws -> RawJSON { try RawJSON(validating: Array(text.utf8)[...]) }

  private static func replaced(_ text: String, words: Set<String> = [], redacted: [String] = []) throws -> RawJSON {
    var pseudonyms = Pseudonyms(words: words, redacted: redacted)
    return try pseudonyms.replaced(json(text))
  }

  @Test func theSameValueHasTheSamePseudonymEverywhere() throws {
    let new = try Self.replaced(
      """
      {"a":{"user_id":"sdk-ben","name":"Ada"},"rows":[{"actor":"sdk-ben","actor_name":"Ada","user_id":"sdk-dan"}],
       "id":"A0000000-0000-4000-8000-00000000000F","key":"votes/a0000000-0000-4000-8000-00000000000f",
       "email":"Grace@Example.com","user_email":"grace@example.com"}
      """)
    let row = try #require(new["rows"]?.elements?.first)
    #expect(new["a"]?["user_id"] == row["actor"] && new["a"]?["name"] == row["actor_name"])
    #expect(row["actor"] != row["user_id"])
    #expect(new["key"]?.stringValue == "votes/\(new["id"]?.stringValue ?? "")")
    #expect(new["email"] == new["user_email"] && new["email"]?.stringValue == "person-1@example.com")
  }

  @Test(arguments: [
    ("name", "Ada"), ("title", "dark"), ("content", "We are on it."), ("body", "soon"), ("category", "Two words"),
    ("token", "tokentoken"), ("api_key", "demo"), ("value", "abc"), ("remark", "a1b2c3d4e5f6"), ("sealed", "xyz"),
    ("phone", "555-1234"), ("location", "home"), ("user_id", "ada"), ("payload", #"{\"aps\":1}"#),
  ])
  func aPersonsOwnWordsAndSecretsAreReplaced(member: String, value: String) throws {
    let new = try Self.replaced(#"{"\#(member)":"\#(value)"}"#, redacted: ["sealed"])[member]?.stringValue
    #expect(new?.isEmpty == false && new?.contains(value) == false, "\(new ?? "")")
  }

  @Test(arguments: [
    ("status", "in_progress"), ("type", "INSERT"), ("platform", "iOS"), ("importance", "actionRequired"),
    ("created_at", "2026-11-29T19:14:42.123456+00:00"), ("quiet_hours_start", "22:00:00"), ("start", "23:30"),
    ("timezone", "America/New_York"), ("language", "de-AT"), ("locale", "zh-Hant-TW"), ("target", ""),
    ("app_version", "1.2.0"), ("reason", "quiet_hours"), ("source", "/samples"), ("day", "2026-11-29"),
    ("token_expires_at", "2026-11-29T19:14:42Z"),
  ])
  func whatFunctionsDecideByStays(member: String, value: String) throws {
    let text = #"{"\#(member)":"\#(value)"}"#
    #expect(try Self.replaced(text, words: ["ios"])[member]?.stringValue == value)
  }

  @Test func placesAndSecretsThatAreNoTextsAreEmptied() throws {
    let new = try Self.replaced(
      #"{"location_latitude":48.1,"token_count":7,"secrets":{"a":"b"},"hashes":["x"],"limit":3,"on":true,"none":null}"#)
    #expect(new["location_latitude"]?.printable == "0" && new["token_count"]?.printable == "0")
    #expect(new["secrets"]?.kind == .null && new["hashes"]?.kind == .null)
    #expect(new["limit"]?.intValue == 3 && new["on"]?.printable == "true" && new["none"]?.kind == .null)
  }
}
