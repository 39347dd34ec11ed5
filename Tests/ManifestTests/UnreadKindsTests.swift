import Testing

@testable import Manifest

/// `kinds` of functions.json: which function gets what stays unread.
struct UnreadKindsTests {
  private func manifest(_ kinds: String, functions: String = "") throws -> Manifest {
    let text = #"""
      {"apps":{"shop":{}},"kinds":\#(kinds),
      "functions":{"look":{"environment":["PUSH_UNREAD_RULES?"]},"mail":{},"slack":{"url":"https://s.example"}\#(functions)}}
      """#
    return try Manifest(text: Array(text.utf8), file: "functions.json", directory: "/project")
  }

  @Test func theFunctionThatIsNamedGetsATriggerAndOthersTheRules() throws {
    let manifest = try manifest(
      #"""
      {"shop":{"order":{"ifUnread":{"after":"30m","function":"mail"}},
        "news":{"ifUnread":{"after":"1d","function":"slack"}},"late":{"ifUnread":{"after":"90s","function":"mail"}},"other":{}}}
      """#)

    let table = { (name: String) in
      Trigger.table(TableTrigger(table: "unread_notifications", operations: [.insert], filter: ["function": name]))
    }
    #expect(manifest["mail"]?.triggers == [table("mail")])
    #expect(manifest["slack"]?.triggers == [table("slack")])
    let rules =
      #"[{"app":"shop","kind":"order","after":1800,"function":"mail"},"#
      + #"{"app":"shop","kind":"news","after":86400,"function":"slack"},"#
      + #"{"app":"shop","kind":"late","after":90,"function":"mail"}]"#
    #expect(manifest.unreadRules == rules)
    #expect(manifest["look"]?.settings == ["PUSH_UNREAD_RULES": rules] && manifest["mail"]?.settings == [:])
  }

  @Test(arguments: ["{}", #"{"shop":{}}"#, #"{"shop":{"order":{}}}"#])
  func withoutARuleNothingIsTriggered(_ kinds: String) throws {
    let manifest = try manifest(kinds)
    #expect(manifest.unreadRules == nil && manifest["mail"]?.triggers.isEmpty == true)
  }

  @Test(arguments: [
    (
      #"{"shop":{"order":{"ifUnread":{"after":"1m","function":"none"}}}}"#,
      "names none, which \"functions\" does not have"
    ),
    (#"{"other":{"order":{"ifUnread":{"after":"1m","function":"mail"}}}}"#, "must be one of \"apps\": shop"),
    (#"{"shop":{"order":{"ifUnread":{"after":"0m","function":"mail"}}}}"#, "must be a time such as 90s, 30m, 2h or 1d"),
    (#"{"shop":{"order":{"ifUnread":{"after":"31d","function":"mail"}}}}"#, "30d at most"),
    (#"{"shop":{"order":{"ifUnread":{"after":"+1m","function":"mail"}}}}"#, "must be a time"),
    (#"{"shop":{"order":{"ifUnread":{"after":30,"function":"mail"}}}}"#, "must be a string"),
    (#"{"shop":{"order":{"ifUnread":{"function":"mail"}}}}"#, "has no \"after\""),
    (#"{"shop":{"order":{"ifUnread":{"after":"1m"}}}}"#, "has no \"function\""),
    (#"{"shop":{"order":{"unread":{}}}}"#, "is not known"),
  ])
  func aRuleThatCannotBeFollowedIsRefused(kinds: String, sentence: String) {
    #expect { try manifest(kinds) } throws: { "\($0)".contains(sentence) }
  }

  @Test func aFunctionForWhatStaysUnreadMayHaveAKey() throws {
    let keyed = #","keyed":{"url":"https://k.example","key":"user_id","onFailure":"block"}"#

    let manifest = try manifest(
      #"{"shop":{"order":{"ifUnread":{"after":"1m","function":"keyed"}}}}"#, functions: keyed)

    #expect(manifest["keyed"]?.key == "user_id")
    #expect {
      try self.manifest("{}", functions: keyed)
    } throws: { "\($0)".contains("orders row events, but there is no trigger with a table") }
  }

  @Test(arguments: [
    ("look", "looks for work itself"), ("woken", "looks for work itself"), ("own", "has a trigger of its own"),
  ])
  func aFunctionThatGetsOtherEventsOrNoneIsRefused(name: String, sentence: String) {
    let functions = #"""
      ,"woken":{"triggers":[{"notify":"unread_checks"}]},
      "own":{"triggers":[{"table":"unread_notifications","events":["INSERT"]}]}
      """#
    #expect {
      try manifest(#"{"shop":{"order":{"ifUnread":{"after":"1m","function":"\#(name)"}}}}"#, functions: functions)
    } throws: { "\($0)".contains(sentence) }
  }

  @Test func aBundleWhereNobodyLooksIsRefused() {
    let text = #"""
      {"apps":{"shop":{}},"kinds":{"shop":{"order":{"ifUnread":{"after":"1m","function":"mail"}}}},
      "functions":{"mail":{}}}
      """#
    #expect {
      try Manifest(text: Array(text.utf8), file: "functions.json", directory: "/project")
    } throws: { "\($0)".contains("needs a function that asks for PUSH_UNREAD_RULES") }
  }
}
