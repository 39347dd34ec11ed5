import FunctionKit
import TestSupport
import Testing

/// `runner words`, run as a program.
@Suite(.heavy)
struct WordsTests {
  private func words(_ language: String, _ options: [String] = []) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run("push", ["words", "--language", language] + options)
  }

  @Test func anAppsOwnTextsWinWhereTheyFit() async throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      """
      feedbackkit.new_vote.title = Eine Stimme!
      feedbackkit.new_comment.body = {comment} zu {feedback}
      unknown.text = x
      """, to: "de.strings")
    try folder.write("feedbackkit.new_vote.title = Nieuwe stem\n", to: "nl.strings")
    try folder.write("feedbackkit.new_vote.title\n", to: "fr.strings")
    func line(_ name: String, _ language: String) async throws -> Substring? {
      let outcome = try await BuiltExecutables.run(
        "push", ["words", "--language", language], environment: ["PUSH_LANGUAGES": folder.path])
      return outcome.stdout.split(separator: "\n").first { $0.contains("\(name) = ") }
    }
    let (vote, comment) = ("feedbackkit.new_vote.title", "feedbackkit.new_comment.body")

    #expect(try await line(vote, "de") == "\(vote) = Eine Stimme!")
    #expect(try await line(comment, "de") == "\(comment) = Kommentar zu: {feedback}")
    #expect(try await line("unknown.text", "de") == nil)
    #expect(try await line(vote, "nl") == "\(vote) = Nieuwe stem")
    #expect(try await line(comment, "nl") == "# \(comment) = Comment on: {feedback}")
    #expect(try await line(vote, "fr") == "\(vote) = Nouveau vote")
  }

  /// Arguments: a file's name and its text; a language, a text and what it says.
  @Test(arguments: [
    ("de-AT", "feedbackkit.new_vote.title = Servus", "de-AT", "feedbackkit.new_vote.title", "Servus"),
    ("de-AT", "feedbackkit.new_vote.title = Servus", "de-AT", "feedbackkit.new_comment.title", "Neuer Kommentar"),
    ("de-AT", "feedbackkit.new_vote.title = Servus", "de-CH", "feedbackkit.new_vote.title", "Neue Stimme"),
    ("de", "feedbackkit.new_vote.title = Moin", "de-AT", "feedbackkit.new_vote.title", "Moin"),
    ("de", "feedbackkit.new_vote.body[one] = Eine!", "de", "feedbackkit.new_vote.body[one]", "Eine!"),
    (
      "de", "feedbackkit.new_vote.body[one] = Eine!", "de", "feedbackkit.new_vote.body[other]",
      "{feedback} hat jetzt {count} Stimmen"
    ),
    (
      "en", "feedbackkit.new_vote.body[one] = One!", "en", "feedbackkit.new_vote.body[other]",
      "{feedback} now has {count} votes"
    ),
  ])
  func whatAnOwnFileLacksIsReadFromTheWiderLanguage(
    file: String, text: String, language: String, name: String, said: String
  ) async throws {
    let folder = try TemporaryDirectory()
    try folder.write(text, to: "\(file).strings")

    let outcome = try await BuiltExecutables.run(
      "push", ["words", "--language", language], environment: ["PUSH_LANGUAGES": folder.path])

    #expect(outcome.stdout.split(separator: "\n").contains("\(name) = \(said)"))
  }

  @Test func aLanguageWithAllTextsHasNothingToMark() async throws {
    let outcome = try await words("de")

    #expect(outcome.exit == 0)
    #expect(outcome.stdout.contains("feedbackkit.new_vote.body[one] = {feedback} hat jetzt {count} Stimme\n"))
    #expect(outcome.stdout.contains("messageai.smart_notification.title = MessageAI\n"))
    #expect(!outcome.stdout.contains("#"), "\(outcome.stdout)")
  }

  @Test func aLanguageThatIsNewHasAllFormsInEnglish() async throws {
    let outcome = try await words("pl")

    #expect(outcome.exit == 0)
    for category in ["few", "many", "other"] {
      #expect(
        outcome.stdout.contains("# feedbackkit.new_vote.body[\(category)] = {feedback} now has {count} votes\n"))
    }
    #expect(outcome.stdout.contains("# feedbackkit.new_vote.body[one] = {feedback} now has {count} vote\n"))
    #expect(outcome.stdout.split(separator: "\n").allSatisfy { $0.hasPrefix("# ") })
  }

  @Test func asJSONEachIsAnObject() async throws {
    let outcome = try await words("ja", ["--json"])

    let lines = try #require(try RawJSON(validating: Array(outcome.stdout.utf8)[...]).elements)
    let vote = try #require(lines.first { $0["name"]?.stringValue == "feedbackkit.new_vote.title" })
    #expect(vote["text"]?.stringValue == "新しい投票")
    #expect(vote["missing"].map(\.bytes).map { Array($0) } == Array("false".utf8))
  }

  @Test func whatIsNoTagIsRefused() async throws {
    let outcome = try await words("deutschland")

    #expect(outcome.exit == 64)
    #expect(outcome.stderr.contains("--language takes the tag of a language"))
  }
}
