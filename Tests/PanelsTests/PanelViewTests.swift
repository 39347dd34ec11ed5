import Console
import Documents
import Foundation
import FunctionKit
import Testing

@testable import Panels

/// The pages that the documents of a bundle's commands become.
struct PanelViewTests {
  private let forms = PhoneForms(
    place: NavigationEntry("phones", "Phones", key: "h"), token: "t", user: nil, mayAct: true)
  private let id = RowID(uuid: UUID())

  private func forms(at now: Date) -> PhoneForms {
    var forms = forms
    forms.now = now
    return forms
  }

  private func note(_ buttons: [PhoneNote.Button]) -> PhoneNote {
    PhoneNote(
      push: 7, at: .distantPast, kind: "new_vote", title: "<img src=x>", subtitle: nil, body: nil, thread: nil,
      image: "https://evil.example/a.png", sound: nil, level: .active, replaced: 0, collapseID: nil,
      link: "javascript:alert(1)", notification: id, buttons: buttons)
  }

  private func phone(_ notes: [PhoneNote]) -> Phone {
    Phone(
      id: id, person: Sample.person("Ada"), platform: "iOS", app: nil, provider: .apns, token: "a1a1a1a1",
      isActive: true,
      badge: 2, counted: 3, shown: 1, duplicates: 0, notes: notes, others: 0)
  }

  @Test(arguments: [
    ("ar-EG", #" dir="rtl""#, #"lang="ar-EG">قبل دقيقتين</time>"#), ("ja", "", #"lang="ja">2分前</time>"#),
    ("en-US", "", #"lang="en-US">2m ago</time>"#), ("tlh", "", ">"),
  ])
  func aPhoneIsInItsLanguage(locale: String, direction: String, clock: String) throws {
    var (phone, note) = (phone([]), note([]))
    (phone.locale, note.at) = (locale, Date(timeIntervalSince1970: 1_790_000_000))
    (note.title, note.body) = ("نعم", "<b>")

    let html = NoteView(
      note: note, phone: phone, isAndroid: false, anchor: "a", form: "f", owner: "Ada", forms: forms(at: note.at + 130)
    ).html.source

    #expect(html.contains(#"role="group" aria-label="نعم"\#(direction)>"#))
    #expect(html.contains(#"<h4 dir="auto">نعم</h4>"#), "the words may be in another language than the phone's")
    #expect(html.contains(#"<p dir="auto">&lt;b&gt;</p>"#))
    #expect(html.contains(clock))
    #expect(html.contains("Open “\u{2068}نعم\u{2069}” on the phone of Ada"))
  }

  @Test(arguments: [
    (-5, "now<"), (59, "now<"), (60, "1m ago<"), (3_599, "59m ago<"), (86_399, "23h ago<"), (86_400, "Mon 2:13"),
    (604_800, "Sep 21, 2:13"),
  ])
  func aNoteSaysItsTimeAsALockScreenDoes(age: Double, words: String) {
    var (phone, note) = (phone([]), note([]))
    (phone.locale, note.at) = ("en-US", Date(timeIntervalSince1970: 1_790_000_000))

    let html = NoteView(
      note: note, phone: phone, isAndroid: false, anchor: "a", form: "f", owner: "Ada", forms: forms(at: note.at + age)
    ).html.source

    #expect(html.contains(#"title="2026-09-21 14:13:20Z" data-since="" lang="en-US">\#(words)"#), "\(html)")
  }

  @Test func whatBecomesOfWhatStaysUnreadStandsWithItsDecision() {
    var told = Sample.decision("Ada", .told, stoppedAt: nil)
    let without = LadderView(decision: told, number: 1, links: PanelLinks([])).html.source
    told.unread = UnreadReport(function: "tell", state: .given, reason: nil, at: .distantPast)
    told.unread?.words = "It stayed unread: <tell> got it."

    let with = LadderView(decision: told, number: 1, links: PanelLinks([])).html.source

    #expect(with.contains("It stayed unread: ") && !with.contains("<tell>") && !without.contains("unread"))
  }

  @Test func theLiveActivitiesOfPhonesStandWithTheirDecision() {
    var told = Sample.decision("Ada", .told, stoppedAt: nil)
    let without = LadderView(decision: told, number: 1, links: PanelLinks([])).html.source
    let device = DeviceSummary(id: id, platform: "iOS", provider: .apns, token: "e7e7e7e7")
    told.activities = ["<one>", "another"].map { words in
      var activity = ActivityReport(device: device, state: .absent, reason: "no_token", at: nil, updates: 0)
      activity.words = "Live Activity on \(words)"
      return activity
    }

    let with = LadderView(decision: told, number: 1, links: PanelLinks([])).html.source

    #expect(with.matches(of: /Live Activity/).count == 2 && !with.contains("<one>"))
    #expect(!without.contains("Live Activity"))
  }

  @Test func thoseWhomOneGateStoppedStandTogether() {
    let people = [
      Sample.decision("Ada", .told, stoppedAt: nil), Sample.decision("Ben", .notTold, stoppedAt: 2),
      Sample.decision("Eva", .notTold, stoppedAt: 1), Sample.decision("Dan", .notTold, stoppedAt: 2),
      Sample.decision("Hugo", .held, stoppedAt: 3),
    ]

    let html = GateMatrix(people: people, total: 9, address: { _ in nil }).html.source

    let order = ["in words", "through all gates", "Ada", "gate 3”", "Hugo", "gate 1”", "Eva", "gate 2”", "Ben", "Dan"]
    let places = order.compactMap { html.firstRange(of: $0)?.lowerBound }
    #expect(places.count == order.count && places == places.sorted())
    #expect(html.contains("5 of 9 people") && html.contains(#"class="gate stopped" title="fact 2""#))
    #expect(html.matches(of: /not asked/).count == 4)
  }

  @Test func aStorySaysEachFateOnceAndLeavesOutWhoDidIt() {
    var ada = Sample.decision("Ada", .notTold, stoppedAt: 1)
    (ada.verdict, ada.words) = (Verdict(decision: .suppress, reason: "actor"), "not told: it was their own act (actor)")
    var (grace, ben) = (Sample.decision("Grace", .told, stoppedAt: nil), Sample.decision("Ben", .told, stoppedAt: nil))
    (grace.words, ben.words, ben.subjectName) = ("told", "told", "Night mode")
    grace.said = DecisionReport.Words(title: "New Vote", body: "<b>")
    var dan = Sample.decision("Dan", .notTold, stoppedAt: 2)
    (dan.verdict, dan.words) = (Verdict(decision: .suppress, reason: "muted"), "not told: they muted it (muted)")
    var handled = RecentDocument.Handled(
      event: "e", function: "f", source: "s", at: .distantPast,
      counts: [DecisionCount(decision: .notify, reason: nil, people: 4, words: "told")])
    handled.people = [ben, ada, grace, dan]

    let (all, html) = (StoryView(handled), StoryView(handled).fates.source)
    #expect(handled.people?.title == "Night mode · new vote by Ada")
    #expect(html.contains("<bdi> Ben, Grace</bdi></li>"), "\(html)")
    #expect(html.contains("<bdi> Dan</bdi>: <bdi>they muted it</bdi>"), "\(html)")
    #expect(!html.contains("Ada") && html.matches(of: /<li>/).count == 2)
    #expect(all.push.source.contains(#"<p dir="auto"><strong>New Vote</strong></p>"#))
    #expect(all.push.source.contains("&lt;b&gt;") && all.push.source.contains("to Grace</bdi>"))

    handled.title = "Quiet hours ended"
    #expect(handled.whatHappened == "Quiet hours ended", "what they were told of has no name")
    handled.subjectName = "Night mode"
    #expect(handled.whatHappened == "Quiet hours ended · Night mode")
    handled.otherSubjects = 2
    #expect(handled.whatHappened == "Quiet hours ended · Night mode and 2 more")
    handled.subjectName = "وضع"
    #expect(handled.whatHappened == "Quiet hours ended · \u{2068}وضع\u{2069} and 2 more")
    handled.people = [ben]

    // Where not all are named, they are counted.
    handled.counts[0].people = 5
    #expect(StoryView(handled).fates.source.contains("<bdi> 5</bdi>"))
    handled.hasMore = true
    #expect(StoryView(handled).fates.source.contains("and more people"))
    handled.people = [dan]
    #expect(StoryView(handled).push.isEmpty && handled.people?.title == "new vote")
  }

  @Test func aStoryDrawsEachTextOnceWithThoseToWhomItIsSaid() {
    func said(_ name: String, _ outcome: DecisionOutcome, _ title: String) -> DecisionReport {
      var decision = Sample.decision(name, outcome, stoppedAt: nil)
      decision.said = DecisionReport.Words(title: title, body: nil)
      return decision
    }
    func drawn(
      _ people: [DecisionReport], _ otherPushes: [DecisionReport]? = nil
    ) -> (texts: [String], others: Int) {
      var handled = RecentDocument.Handled(event: "e", function: "f", source: "s", at: .distantPast, counts: [])
      (handled.people, handled.otherPushes) = (people, otherPushes)
      let story = StoryView(handled)
      let cards = story.push.source.matches(of: /<bdi>(to [^<]*)<\/bdi>.*?<strong>([^<]*)</)
      return (cards.map { "\($0.1): \($0.2)" }, story.otherTexts)
    }
    let (grace, eva) = (said("Grace", .told, "One"), said("Eva", .held, "Two"))

    // Texts that have rung come first, in any order of the people.
    #expect(drawn([eva, grace]) == (["to Grace: One", "to Eva, later: Two"], 0))
    #expect(
      drawn([said("Ben", .held, "One"), grace, said("Hugo", .told, "One")]) == (["to Grace, Hugo; Ben, later: One"], 0))
    #expect(drawn([grace, grace]) == (["to Grace: One"], 0), "they have two phones, or it is about two things")
    let many = ["a", "b", "c", "d", "e"].map { said($0, .merged, "One") }
    #expect(drawn(many) == (["to a, b, c and 2 more: One"], 0))
    let texts = ["One", "Two", "Three", "Four"].map { said("Grace", .told, $0) }
    #expect(drawn(texts) == (["to Grace: One", "to Grace: Two"], 2))
    // One person's pushes stand together.
    var further = said("Grace", .told, "Two")
    further.person = grace.person
    let hugo = said("Hugo", .told, "Three")
    #expect(drawn([grace, hugo], [further]) == (["to Grace: One", "to Grace: Two"], 1))
    #expect(drawn([hugo, grace], [further]) == (["to Hugo: Three", "to Grace: One"], 1))
    // Nobody's phone says what somebody is not told.
    #expect(drawn([said("Dan", .notTold, "One")]) == ([], 0))
  }

  @Test func nothingThatAPushNamesIsLoadedOrLed() {
    let reply = PhoneNote.Button(
      action: "REPLY_ACTION", title: "Reply", isDestructive: false, opensApp: false, placeholder: "Type")

    let chosen = PhoneForms(place: forms.place, token: "t", user: "ada", mayAct: true, hasDetails: true)
    let html = PhoneView(phone: phone([note([reply])]), forms: chosen).html.source

    #expect(html.contains("https://evil.example/a.png") && html.contains("javascript:alert(1)"))
    #expect(!html.contains("<img") && !html.contains(" src=\"") && !html.contains(#"href="javascript"#))
    #expect(html.contains("3 unread = 2 on the icon + 1 that came since its last push"))
    #expect(html.contains(#"name="notification" value="\#(id) REPLY_ACTION""#))
    #expect(html.contains(#"placeholder="Type" required"#))
  }

  @Test(arguments: [
    (PhoneActivity.Phase.active, "Live", " · closes <time"), (.stale, "Out of date", " · closes <time"),
    (.ended, "Ended", " · goes at <time"),
  ])
  func aLiveActivityIsDrawnWithItsVotes(phase: PhoneActivity.Phase, mark: String, end: String) {
    var phone = phone([])
    let start = Date(timeIntervalSince1970: 1_790_000_000)
    phone.locale = "en-GB"
    phone.activities = [
      PhoneActivity(
        push: 3, startedAt: start, at: start, type: "ProposalActivityAttributes", title: "<Games>", subtitle: "Crew",
        phase: phase, channel: "Y2g=", status: "open", deadline: start + 600, votes: 5, members: 8,
        options: [
          .init(start: start, yes: 4, maybe: 2, isLeading: true),
          .init(start: start, yes: 99, maybe: 0, isLeading: false),
        ], others: 2, dismissedAt: phase == .ended ? start + 900 : nil)
    ]

    let html = PhoneView(phone: phone, forms: forms).html.source

    #expect(html.contains(#"class="note activity \#(phase.rawValue)""#) && html.contains(">\(mark)</span>"))
    #expect(html.contains("&lt;Games&gt;</h4>") && html.contains("Crew</p>") && html.contains("and 2 more times"))
    #expect(html.contains(#"class="votes leads""#) && html.contains(" can come, 2 maybe, leads</span>"))
    #expect(html.contains(#"<rect class="yes" width="4" height="8">"#), "4 of the 99 who come elsewhere")
    #expect(html.contains("5 of 8 voted") && html.contains(end) && html.contains(" · by a channel"))
    #expect(!html.contains("Nothing is on the screen"))
  }

  @Test(arguments: [
    ("ar-EG", #" dir="rtl">"#, "سبتمبر"), ("ja", ">", "9月21日"),
  ])
  func aLiveActivityIsDrawnInThePhonesDirection(locale: String, direction: String, day: String) {
    var phone = phone([])
    phone.locale = locale
    let start = Date(timeIntervalSince1970: 1_790_000_000)
    phone.activities = [
      PhoneActivity(
        push: 3, startedAt: start, at: start, type: "ProposalActivityAttributes", title: "Games", phase: .active,
        status: "open", deadline: start, votes: 5, members: 8,
        options: [.init(start: start, yes: 4, maybe: 2, isLeading: true)])
    ]

    let html = PhoneView(phone: phone, forms: forms).html.source

    #expect(html.contains(#"aria-label="Live Activity: Games"\#(direction)"#), "\(html)")
    #expect(html.contains(#"<p class="faint" dir="ltr">5 of 8 voted"#), "English words keep their direction")
    #expect(html.contains(day), "\(html)")
  }

  @Test func anOrdersLiveActivityIsDrawnWithItsStatus() {
    var phone = phone([])
    phone.activities = [
      PhoneActivity(
        push: 3, startedAt: .distantPast, at: .distantPast, type: "OrderActivityAttributes", title: "Order #1234",
        subtitle: "iPad", phase: .active, status: "in_<b>repair")
    ]

    let html = PhoneView(phone: phone, forms: forms).html.source

    #expect(html.contains("Order #1234</h4>") && html.contains("iPad</p>"))
    #expect(html.contains(#"<p class="faint" dir="ltr"><bdi>in &lt;b&gt;repair</bdi></p>"#), "\(html)")
  }

  @Test func aLiveActivityOfAnotherTypeShowsItsState() {
    var phone = phone([])
    phone.activities = [
      PhoneActivity(
        push: 3, startedAt: .distantPast, at: .distantPast, type: "Ride", title: nil, phase: .active,
        state: #"{"a":"<b>"}"#)
    ]

    let html = PhoneView(phone: phone, forms: forms).html.source

    #expect(html.contains("{&quot;a&quot;:&quot;&lt;b&gt;&quot;}") && html.contains("Private event</h4>"))
    #expect(!html.contains("by a channel"))
  }

  @Test func whatWaitsOnPurposeIsNoWarning() {
    var waiting = phone([])
    (waiting.waiting, waiting.nextAt) = (3, Date(timeIntervalSince1970: 1_800_000_000))
    var inactive = waiting
    inactive.isActive = false

    let html = PhoneView(phone: waiting, forms: forms).html.source
    let other = PhoneView(phone: inactive, forms: forms).html.source

    #expect(html.contains("3 more, the first at <time datetime=\"2027-01-15T08:00:00.000Z\""), "\(html)")
    #expect(!html.contains("on the icon "))
    #expect(other.contains("it is told nothing") && !other.contains("on the icon ") && !other.contains("more"))
    waiting.waiting = 1
    #expect(PhoneView(phone: waiting, forms: forms).html.source.contains("1 more at <time"))
  }

  @Test(arguments: [(3, 5, 2, false), (5, 5, 2, false), (2, 5, 2, true), (6, 5, 2, true), (4, 5, nil, true)])
  func anIconIsWrongThatNoPushCanHaveSet(_ shown: Int, _ counted: Int, _ waiting: Int?, _ isWrong: Bool) {
    var phone = phone([])
    (phone.badge, phone.counted, phone.waiting, phone.nextAt) = (shown, counted, waiting, waiting.map { _ in .now })

    #expect(PhoneView(phone: phone, forms: forms).html.source.contains("on the icon ") == isWrong)
    phone.isActive = false
    #expect(!phone.isIconWrong)
  }

  @Test func aTokenThatTheDatabaseDoesNotKnowIsAnUnknownPhone() {
    var unknown = phone([])
    (unknown.id, unknown.person, unknown.platform, unknown.counted) = (nil, nil, "", nil)

    let html = PhoneView(phone: unknown, forms: forms).html.source

    #expect(html.contains("<h3><bdi>an unknown phone</bdi>") && html.contains(#"aria-label="somebody, a1a1a1a1""#))
    #expect(html.contains(">2</span><span class=\"unseen\"> on the icon</span>"))
  }

  @Test func aPageOfManyPhonesIsSmall() {
    let buttons = ["YES", "MAYBE", "NO"].map {
      PhoneNote.Button(
        action: "VOTE_\($0)", title: $0.capitalized, isDestructive: false, opensApp: false, placeholder: nil)
    }
    var many = note(buttons)
    (many.title, many.body, many.image) = ("New Feedback", String(repeating: "word ", count: 20), nil)
    let place = NavigationEntry("phones", "Phones", key: "h")
    func bytes(_ phones: Int, _ notes: Int, user: String?) -> Int {
      let forms = PhoneForms(
        place: place, token: String(repeating: "t", count: 43), user: user, mayAct: true, hasDetails: user != nil)
      let phone = phone(Array(repeating: many, count: notes))
      return phones * PhoneView(phone: phone, forms: forms).html.source.utf8.count
    }

    // With what stands around them it is 60 kB at most.
    for (phones, notes) in [(20, 1), (15, 2), (10, 3)] { #expect(bytes(phones, notes, user: nil) < 51_000) }
    for (phones, notes) in [(8, 2), (2, 8)] { #expect(bytes(phones, notes, user: "ada") < 51_000) }
  }

  @Test(arguments: [
    ("{}", "found is missing"), ("[]", "must be an object"),
    (#"{"found":{},"hasMore":false}"#, "found must be an array"),
    (#"{"found":[{"id":"1"}],"hasMore":false}"#, "found.[0].id"),
    (#"{"found":[],"hasMore":"no"}"#, "hasMore must be true"),
  ])
  func anOddDocumentIsNamedInASentence(_ text: String, _ sentence: String) throws {
    let odd = try RawJSON(validating: Array(text.utf8)[...])

    let error = #expect(throws: FunctionError.self) { try JSONCoding.decode(PeopleDocument.self, from: odd) }
    #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
  }

  @Test func whatIsMutedIsNamed() {
    let mutes = [("<b>Club", AppState.Mute.Level.muted), ("Band", .important), ("Choir", .muted)].map { name, level in
      AppState.Mute(id: id, name: name, place: "group", level: level)
    }
    let app = AppState(
      app: "lockitin", badge: 0, timeZone: nil, isEnabled: true, switchedOff: [], mutes: mutes, quietHours: nil,
      hourlyLimit: nil, pushesOfLastHour: 0, devices: [], waiting: [], windows: [])
    let html = AppView(app: app, now: .distantPast, isPart: false, person: Address("people", "x")).html.source

    let places = ["<dt>muted</dt>", "&lt;b&gt;Club", "Choir", "<dt>only important</dt>", "Band", "<dt>badge</dt>"]
      .compactMap { html.firstRange(of: $0)?.lowerBound }
    #expect(places.count == 6 && places == places.sorted(), "\(html)")
  }

  @Test func twoThatAreMutedAndHaveOneNameAreToldApart() throws {
    let ids = try ["b0000000", "b1b1b1b1"].map { start in
      RowID(uuid: try #require(UUID(uuidString: "\(start)-0000-4000-8000-000000000001")))
    }
    func names(_ names: String...) -> [String] {
      let mutes = zip(ids, names).map { AppState.Mute(id: $0, name: $1, place: "project", level: .muted) }
      let app = AppState(
        app: "feedbackkit", badge: 0, timeZone: nil, isEnabled: true, switchedOff: [], mutes: mutes, quietHours: nil,
        hourlyLimit: nil, pushesOfLastHour: 0, devices: [], waiting: [], windows: [])
      let html = AppView(app: app, now: .distantPast, isPart: false, person: Address("people", "x")).html.source
      return html.matches(of: /<bdi>([^<]*)<\/bdi><small> project/).map { String($0.1) }
    }

    #expect(names("Orbit", "Orbit") == ["Orbit (b0000000)", "Orbit (b1b1b1b1)"])
    #expect(names("Orbit", "Comet") == ["Orbit", "Comet"])
  }

  @Test func aPersonsLanguageAndRemindersAreShown() {
    var app = AppState(
      app: "lockitin", badge: 0, timeZone: nil, isEnabled: true, switchedOff: [], mutes: [], quietHours: nil,
      hourlyLimit: nil, pushesOfLastHour: 0, devices: [], waiting: [], windows: [])
    func html() -> String {
      AppView(app: app, now: .distantPast, isPart: false, person: Address("people", "x")).html.source
    }
    let plain = html()
    (app.language, app.unreadReminders) = (.init(tag: "<de>", texts: "de", isChosen: true), .off)
    let chosen = html()
    (app.language, app.unreadReminders) = (.init(tag: "ja", texts: "ja", isChosen: false), .noMailbox)
    let device = html()

    #expect(plain.contains("neither they nor a device name one") && !plain.contains("stays unread"))
    #expect(chosen.contains("&lt;de&gt;") && chosen.contains(" by the texts in de") && chosen.contains(" their choice"))
    #expect(chosen.contains("<dt>reminders of what stays unread</dt>") && chosen.contains("switched off"))
    #expect(device.contains(" of their last device") && !device.contains("by the texts"))
    #expect(device.contains("their address has no mailbox"))
  }

  @Test func whatIsTooManyToCountIsSaidAndTheRestHasALink() {
    var device = AppState.OwnDevice(
      device: DeviceSummary(id: id, platform: "iOS", provider: .apns, token: "a1a1a1a1"), isActive: true,
      deactivatedAt: nil, deactivatedReason: nil, heldUntil: nil, lastAcceptedAt: nil)
    device.badge = 12_345
    var app = AppState(
      app: "lockitin", badge: 10_001, timeZone: nil, isEnabled: true, switchedOff: [], mutes: [], quietHours: nil,
      hourlyLimit: nil, pushesOfLastHour: 0, devices: [device], waiting: [], windows: [])
    (app.deviceCount, app.nextDevices) = (10_001, "d1")
    let html = AppView(app: app, now: .distantPast, isPart: false, person: Address("people", "x")).html.source

    #expect(html.contains("<dd>10,000+</dd>") && html.contains("1 of 10,000+ devices, the active ones first."))
    #expect(html.contains(#"href="/_/console/people/x?app=lockitin&amp;devices=d1#app-lockitin""#), "\(html)")
    #expect(
      BoundedCount.words(9_999) == "9999" && BoundedCount.words(10_000) == "10,000"
        && BoundedCount.words(10_001) == "10,000+")
  }

  @Test func aPageOfAPersonKeepsWhatItsAddressChooses() {
    var app = AppState(
      app: "lockitin", badge: 1, timeZone: nil, isEnabled: true, switchedOff: [], mutes: [], quietHours: nil,
      hourlyLimit: nil, pushesOfLastHour: 0,
      devices: [
        .init(
          device: DeviceSummary(id: id, platform: "iOS", provider: .apns, token: "a1a1a1a1"), isActive: true,
          deactivatedAt: nil, deactivatedReason: nil, heldUntil: nil, lastAcceptedAt: nil)
      ], waiting: [], windows: [])
    (app.deviceCount, app.nextDevices) = (50, "d2")
    let page = PersonDocument(
      person: Sample.person("Ada"), now: .distantPast, since: .distantPast, apps: [app], decisions: [], total: 300,
      next: "P")
    let request = PageRequest(
      path: ["people", "x"],
      query: ["since": "30d", "show": "not_told", "app": "lockitin", "devices": "d1"].map { ($0.key, $0.value) })
    let html = PersonView(
      page: page, choice: PersonView.Choice(request), place: NavigationEntry("people", "People", key: "p"),
      links: PanelLinks([])
    ).html.body.source

    let link = "\(page.person.id)?since=30d&amp;show=not_told&amp;app=lockitin"
    #expect(html.contains("\(link)&amp;before=P\""), "\(html)")
    #expect(html.contains("\(link)&amp;devices=d2#app-lockitin\""), "\(html)")
    #expect(html.contains(#"type="hidden" name="app" value="lockitin""#), "\(html)")
    #expect(html.contains("None of those looked through has this outcome; older ones may."), "\(html)")
  }

  @Test func aNumberThatTheAppHasSetMayBeGivenUpEarly() {
    var one = phone([note([])])
    (one.badge, one.counted) = (10_001, 10_001)
    #expect(PhoneView(phone: one, forms: forms).html.source.contains(#"<span class="count">10,000+</span>"#))
    #expect(CSV.notes(of: [one]).text.contains(#","10,000+","#))
    // A push has set it.
    one.badge = 12_345
    #expect(PhoneView(phone: one, forms: forms).html.source.contains(#"<span class="count">12345</span>"#))
  }

  @Test func aReadOnlyConsoleHasNoButtons() {
    let looking = PhoneForms(place: forms.place, token: "t", user: nil, mayAct: false)
    let button = PhoneNote.Button(action: "A", title: "B", isDestructive: false, opensApp: true, placeholder: nil)
    let fault = PhoneFault(number: 1, words: "503", token: nil, times: nil, fired: 0)

    let screen = PhoneView(phone: phone([note([button])]), forms: looking).html.source
    let desk = FaultDesk(faults: [fault], phones: [], forms: looking).html.source

    #expect(!screen.contains("<form") && !desk.contains("<form"))
  }

  @Test func whatIsMutedForAWhileIsNamedWithItsEnd() {
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    var app = AppState(
      app: "lockitin", badge: 0, timeZone: nil, isEnabled: true, switchedOff: [], mutes: [],
      pauses: [
        .init(scope: .group, name: "<b>Club", until: now + 60), .init(scope: .person, name: nil, until: now + 90),
      ],
      quietHours: .init(
        hours: "22:00–08:00", startMinute: 1_320, endMinute: 480,
        days: [.init(weekday: "saturday", hours: "23:30–10:00", startMinute: 1_410, endMinute: 600)], until: nil),
      hourlyLimit: nil, pushesOfLastHour: 0, devices: [], waiting: [], windows: [])
    app.shownAt = now + 90
    let html = AppView(app: app, now: now, isPart: false, person: Address("people", "x")).html.source

    for part in [
      "muted for a while", "&lt;b&gt;Club", "everything", "22:00–08:00, saturday 23:30–10:00 UTC", "is shown at ",
    ] {
      #expect(html.contains(part), "\(part)")
    }
  }
}
