import FoundationEssentials
import Locales
import PushPayload
import Testing

@testable import Notifications

/// The texts of all languages.
struct LanguagesTests {
  private static let others = Texts.languages.filter { $0 != Language.englishTag }

  @Test func thereAreSeven() {
    #expect(Texts.languages == ["ar", "de", "en", "es", "fr", "ja", "pt"])
  }

  @Test(arguments: others) func eachHasEveryTextWithTheSameFacts(language: String) {
    let (texts, english) = (Texts.texts(in: language).texts, Texts.texts(in: "en").texts)

    // Without a title, a kind is called by the words of its name.
    #expect(Set(english.keys).subtracting(texts.keys).filter { !$0.hasSuffix(".name") }.sorted() == [])
    #expect(Set(texts.keys).subtracting(english.keys).sorted() == [])
    for (name, text) in texts {
      for category in text.categories {
        let facts = text.facts(in: category)
        // "One person" and "two people" need no number in some languages.
        let needed = category == "other" || !["zero", "one", "two"].contains(category)
        #expect(facts.isSubset(of: english[name]?.facts() ?? []), "\(name)[\(category)]")
        #expect(
          facts == english[name]?.facts() || !needed && facts.union(["count"]) == english[name]?.facts(),
          "\(name)[\(category)]")
      }
    }
  }

  @Test(arguments: Texts.languages) func eachHasThePluralFormsThatItsNumbersNeed(language: String) throws {
    let tag = try #require(LanguageTag(language))
    let formats = try #require(LocaleFormats.of(tag))
    let needed = Set((0...1_000).compactMap { formats.text(.category($0)) })

    for (name, text) in Texts.texts(in: language).texts {
      let isCounted = Texts.texts(in: "en").texts[name]?.categories != ["other"]
      #expect(text.categories == (isCounted ? needed.union(["other"]) : ["other"]), "\(name)")
    }
  }

  /// The texts that people would read if a kind asked for one that is not there.
  @Test(arguments: Texts.languages) func eachKindFindsItsTexts(language: String) {
    let read = Language(nearestTo: language)
    for (notice, recipient, _, _) in SentenceTests.notices(about: "Ada") {
      let person = Recipient(
        recipient.reason, language: read, travel: recipient.travel, variant: recipient.variant)
      let text = notice.text(for: person)
      for words in [text.title, text.body] {
        #expect(!words.contains("lockitin.") && !words.contains("feedbackkit.") && !words.contains("hidden."))
        #expect(!words.contains("{"))
      }
    }
    for family in Kind.BatchingFamily.allCases {
      for count in [1, 2, 3, 11, 100, 1_000_000] {
        let facts: [String: Words.Fact] = ["count": .count(count)]
        let names = ["title", "title_named", "body", "body_named"].map { "several.\(family.rawValue).\($0)" }
        let known = names.filter { Words.english.known($0, facts) != nil }
        #expect(known.allSatisfy { Words.of(read).known($0, facts)?.text.isEmpty == false })
      }
    }
  }

  /// Apps register buttons with these titles: a translator reads them in the catalogue.
  @Test(arguments: Texts.languages) func buttonsAreCalledAsTheCatalogueSays(language: String) {
    let words = Words.of(Language(nearestTo: language))
    for action in PushAction.allCases {
      let name = "action.\(action.rawValue.lowercased())"
      #expect(words(name).text == action.title(in: language))
      guard let input = action.textInput(in: language) else { continue }
      #expect(words("\(name).send").text == input.buttonTitle)
      #expect(words("\(name).placeholder").text == input.placeholder)
    }
  }

  @Test func everyTitleIsThatOfAKind() {
    let names = Set(Kind.catalogue.map { "\($0.app.rawValue).\($0.name).name" })
    let titles = Texts.texts(in: "en").texts.keys.filter { $0.hasSuffix(".name") }
    #expect(titles.filter { !names.contains($0) }.sorted() == [] && !titles.isEmpty)
  }

  @Test(arguments: [
    ("de-AT", "de"), ("de_DE", "de"), ("pt-PT", "pt"), ("ar-EG", "ar"), ("nl-BE", "en"), ("en-GB", "en"), ("tlh", "en"),
    ("", "en"), ("x", "en"), ("de\0", "en"),
  ])
  func theNearestLanguageIsRead(tag: String, texts: String) {
    #expect(Language(nearestTo: tag).texts == texts)
  }

  @Test func aLanguageWithoutTextsIsReadAsAmericanEnglish() {
    #expect(Language(nearestTo: "nl-BE") == .english && Language(nearestTo: "en-US") == .english)
    #expect(Language(nearestTo: "en-GB") != .english)
    #expect(Language.accepted("nl, fr-CA;q=0.7, de;q=0.8")?.tag == "de")
    #expect(Language.accepted("nl, *") == nil)
  }

  @Test(arguments: [
    ("de", "Dark mode hat jetzt 1.234 Stimmen"), ("en-GB", "Dark mode now has 1,234 votes"),
    ("nl", "Dark mode now has 1234 votes"),
  ])
  func numbersFollowTheLanguage(tag: String, body: String) {
    let vote = NewVote(for: Sample.feedback, count: 1_234)

    #expect(vote.text(for: Recipient(.submitter, language: Language(nearestTo: tag))).body == body)
  }

  @Test(arguments: [
    ("de", "Game Night steht fest!", "Montag um 16:00"), ("en-GB", "Game Night confirmed!", "Monday at 16:00"),
    ("en", "Game Night confirmed!", "Monday at 4:00 PM"),
  ])
  func aTimeIsSaidAsPeopleSayIt(tag: String, title: String, body: String) {
    let notice = EventConfirmation(
      of: Sample.user, title: "Game Night", organizer: "Sarah", start: Date(timeIntervalSince1970: 1_781_532_000),
      location: nil, visibility: .sharedWithName)
    let recipient = Recipient(.member, timeZone: "Europe/Berlin", language: Language(nearestTo: tag))

    #expect(notice.text(for: recipient) == NotificationText(said: title, body))
  }

  @Test func theTimeLeftIsInItsCase() {
    let reminder = Sample.reminder().text(for: Recipient(.member, language: Language(nearestTo: "de")))

    #expect(reminder.title == "Game Night: Abstimmung endet in 2 Stunden")
  }

  @Test func whatIsHiddenIsHiddenInTheReadersWords() throws {
    let german = Recipient(.member, language: Language(nearestTo: "de"))
    let notice = NewProposal(Sample.proposal(.busyOnly), members: 3, at: Sample.now)

    #expect(notice.text(for: german).title == "Sarah ist zu dieser Zeit beschäftigt")
    #expect(try notice.payload(for: german).encoded().contains("is busy") == false)
  }

  @Test func mergedTextsAndSummariesAreInTheReadersWords() {
    let words = Words.of(Language(nearestTo: "de"))
    let acts = ["Mike", "Jessica", "Sarah"].map { Act($0, named: $0) }
    let newest = NotificationText(said: "Neueste", "Bis dann")

    let votes = Merged(acts, in: .votes, newest: newest, subjectName: "Dark mode", words: words).text
    #expect(votes == NotificationText(said: "Neue Stimmen", "3 Personen haben für Dark mode gestimmt"))
    let proposal = Merged(acts, in: .proposalVotes, newest: newest, subjectName: "Essen", words: words).text
    #expect(proposal.title == "3 Personen haben über Essen abgestimmt")
    #expect(proposal.body == "Mike, Jessica und 1 weitere Person")
    #expect(
      QuietSummary(of: ["A", "B", "C", "D", "E"], words: words).text
        == NotificationText(said: "5 Neuigkeiten aus deiner Ruhezeit", "A • B • C • 2 weitere"))
  }

  @Test func everyValueInAnArabicSentenceIsIsolated() {
    let arabic = Recipient(.submitter, language: Language(nearestTo: "ar"))

    let text = NewVote(for: Sample.feedback, count: 3).text(for: arabic)

    #expect(text.body.contains("\u{2068}Dark mode\u{2069}"))
    #expect(text.body.contains("٣"))
    #expect(Language(nearestTo: "ar-EG").isRightToLeft && !Language(nearestTo: "de").isRightToLeft)
  }

  @Test(arguments: Texts.languages) func aPushKeepsItsLimitInEveryLanguage(language: String) throws {
    let title = String(repeating: "👩‍👩‍👧", count: 2_000)
    let feedback = Feedback(id: Sample.user, projectID: Sample.user, title: title)

    let recipient = Recipient(.submitter, language: Language(nearestTo: language))
    let text = try NewVote(for: feedback, count: 3).payload(for: recipient).encoded()
    #expect(text.utf8.count <= 4_096)
    #expect(text.contains("👩‍👩‍👧…"))
  }
}
