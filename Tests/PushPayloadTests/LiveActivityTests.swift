import FoundationEssentials
import PushPayload
import TestSupport
import Testing

/// The payloads of Live Activities, and what ActivityKit makes of them.
struct LiveActivityTests {
  private let id = UUID(uuidString: "0D9A8F10-0000-4000-8000-0000000000AB") ?? UUID()
  private let now = Date(timeIntervalSince1970: 1_800_000_000.75)

  private var attributes: ProposalActivityAttributes {
    ProposalActivityAttributes(proposal: id, group: id, title: "Games", groupName: "Friday crew")
  }

  private func state(_ options: Int = 1) -> ProposalActivityAttributes.ContentState {
    let options = (0..<options).map { number in
      ProposalActivityAttributes.Option(
        id: number == 0 ? id : UUID(), start: now + Double(number) * 3_600, end: now + 9_000, yes: number % 7,
        maybe: number % 3, no: 1)
    }
    return .init(
      status: .open, deadline: now + 600, votes: 5, members: 8, leader: options.first, options: options)
  }

  @Test func aStartHasEverythingThatApplesPageNames() throws {
    var payload = LiveActivityPayload(
      .start(attributes, alert: .init(title: "T", subtitle: "S", body: "B")), state: state(), timestamp: now)
    (payload.staleAt, payload.sound, payload.relevanceScore) = (now + 600, "default", 50)

    let option =
      #"{"ends_at":1800009000,"maybe":0,"no":1,"option_id":"0d9a8f10-0000-4000-8000-0000000000ab","#
      + #""starts_at":1800000000,"yes":0}"#
    #expect(
      try payload.encoded()
        == #"{"aps":{"alert":{"body":"B","sound":"default","title":"T"},"attributes":{"group":"Friday crew","#
        + #""group_id":"0d9a8f10-0000-4000-8000-0000000000ab","proposal_id":"0d9a8f10-0000-4000-8000-0000000000ab","#
        + #""title":"Games"},"attributes-type":"ProposalActivityAttributes","content-state":{"deadline":1800000600,"#
        + #""leader":\#(option),"members":8,"options":[\#(option)],"status":"open","votes":5},"event":"start","#
        + #""input-push-token":1,"relevance-score":50.0,"stale-date":1800000600,"timestamp":1800000000}}"#)
  }

  @Test func aStartNamesAChannelInPlaceOfAToken() throws {
    var payload = LiveActivityPayload(.start(attributes, alert: .init(title: "T")), state: state(), timestamp: now)
    payload.updates = .channel("dGVzdA==")

    let aps = try aps(payload)

    #expect(aps["input-push-channel"] as? String == "dGVzdA==" && aps["input-push-token"] == nil)
  }

  @Test func anUpdateIsSilentAndHasNoAttributes() throws {
    let aps = try aps(
      LiveActivityPayload<ProposalActivityAttributes>(.update(alert: nil), state: state(), timestamp: now))

    #expect(Set(aps.keys) == ["content-state", "event", "timestamp"])
  }

  @Test func anEndSaysHowLongItStays() throws {
    let stays = try aps(
      LiveActivityPayload<ProposalActivityAttributes>(.end(dismissedAt: now + 60), state: state(), timestamp: now))
    let usual = try aps(
      LiveActivityPayload<ProposalActivityAttributes>(.end(dismissedAt: nil), state: state(), timestamp: now))

    #expect(stays["dismissal-date"] as? Int == 1_800_000_060 && stays["event"] as? String == "end")
    #expect(Set(usual.keys) == ["content-state", "event", "timestamp"])
  }

  @Test func anOrderOfAnyLengthFitsAndIsReadBack() throws {
    let long = String(repeating: "ü", count: 4_000)
    let state = OrderActivityAttributes.ContentState(
      status: long, isDone: false, changedAt: now, closesAt: now + 60)
    let payload = LiveActivityPayload(
      .start(OrderActivityAttributes(order: id, number: long, device: long), alert: .init(title: "T", body: "B")),
      state: state, timestamp: now)
    let short = OrderActivityAttributes.ContentState(status: "ready", isDone: true, changedAt: now, closesAt: now + 60)

    let read = try JSONDecoder().decode(OrderActivityAttributes.ContentState.self, from: Data(short.activityKitJSON))

    #expect(try payload.encoded().utf8.count <= PushPayload.maximumSize)
    #expect(read == short && read.closesAt.timeIntervalSince1970 == 1_800_000_060)
  }

  @Test func aDecoderWithoutSettingsReadsWhatWasWritten() throws {
    let state = state(4)

    let read = try JSONDecoder().decode(
      ProposalActivityAttributes.ContentState.self, from: Data(state.activityKitJSON))
    let about = try JSONDecoder().decode(ProposalActivityAttributes.self, from: Data(attributes.activityKitJSON))

    #expect(read == state && about == attributes)
    #expect(read.deadline == Date(timeIntervalSince1970: 1_800_000_600))
    #expect(read.options.map(\.start.timeIntervalSince1970) == [0, 1, 2, 3].map { 1_800_000_000 + $0 * 3_600 })
    #expect(
      about.proposal == id && about.group == id && about.link.url == "lockit://proposals/\(id.uuidString.lowercased())")
  }

  @Test func aStateWithoutOptionsOrAnythingUnknownIsRead() throws {
    let json = #"{"status":"closed","deadline":1764460800.5,"votes":0,"members":null,"leader":null,"news":[1]}"#

    let read = try JSONDecoder().decode(ProposalActivityAttributes.ContentState.self, from: Data(json.utf8))

    #expect(read.status == .closed && read.options.isEmpty && read.others == 0 && read.members == nil)
    #expect(read.deadline.timeIntervalSince1970 == 1_764_460_800)
  }

  @Test(arguments: [Double.infinity, -Double.infinity, -1, 1e300])
  func aTimeWithoutEndIsStillANumber(seconds: Double) throws {
    var payload = LiveActivityPayload<ProposalActivityAttributes>(
      .update(alert: nil), state: .init(status: .open, deadline: Date(timeIntervalSince1970: seconds), votes: 0),
      timestamp: Date(timeIntervalSince1970: seconds))
    payload.staleAt = Date(timeIntervalSince1970: seconds)

    let aps = try aps(payload)

    let stale = try #require(aps["stale-date"] as? Int)
    #expect(stale == (seconds > 0 ? 253_402_300_799 : 0) && aps["timestamp"] as? Int == stale)
  }

  @Test(arguments: ["x", "ä", "👨‍👩‍👧‍👦", "\"", "\u{1}"], [0, 3, 60])
  func longTextsAndManyTimesFitAndLeaveRoomForAnID(character: String, options: Int) throws {
    let long = String(repeating: character, count: 5_000)
    let about = ProposalActivityAttributes(proposal: id, group: id, title: long, groupName: long)
    let payload = LiveActivityPayload(
      .start(about, alert: .init(title: long, body: long)), state: state(options), timestamp: now)

    let text = try payload.encoded()

    #expect(PushPayload.insertID(UUID(), as: .camelCase, into: text).utf8.count <= 4_096)
    let (read, kept) = try decoded(text)
    #expect(read.proposal == id && read.title?.last == "…" && read.groupName?.last == "…")
    #expect(kept.options.count + kept.others == options && kept.leader?.id == (options > 0 ? id : nil))
  }

  @Test func theTimesWithTheFewestVotesAreLeftOutFirst() throws {
    let all = state(60)
    let payload = LiveActivityPayload<ProposalActivityAttributes>(.update(alert: nil), state: all, timestamp: now)

    let kept = try decoded(try payload.encoded(), attributes: attributes).state

    #expect(
      kept.others > 0 && kept.options.count > 10 && kept.options.map(\.start) == kept.options.map(\.start).sorted())
    #expect(kept.options.first == all.leader)
    let gone = all.options.filter { !kept.options.contains($0) }
    let least = kept.options.dropFirst().map(\.yes).min() ?? 0
    #expect(gone.allSatisfy { $0.yes <= least })
  }

  @Test func whatFitsIsKeptWhole() throws {
    let whole = state(8)
    let payload = LiveActivityPayload(
      .start(attributes, alert: .init(title: "T", body: String(repeating: "b", count: 1_000))), state: whole,
      timestamp: now)

    let (read, kept) = try decoded(try payload.encoded())

    #expect(read == attributes && kept == whole)
  }

  @Test func moreTimesCostNoMoreThanTheirNumber() throws {
    let list = LongList("times") { count in
      let payload = LiveActivityPayload<ProposalActivityAttributes>(
        .update(alert: nil), state: state(count), timestamp: now)
      return { _ = try? payload.encoded() }
    }
    #expect(try list.growth() < 3)
  }

  @Test func aTypeThatCannotBeMadeSmallerIsTooLarge() {
    let payload = LiveActivityPayload<Stubborn>(
      .update(alert: nil), state: Stubborn.ContentState(text: String(repeating: "x", count: 5_000)), timestamp: now)

    #expect(throws: PushPayload.TooLarge.self) { try payload.encoded() }
  }

  private func aps(_ payload: LiveActivityPayload<ProposalActivityAttributes>) throws -> [String: Any] {
    let members = try JSONDecoder().decode([String: [String: Member]].self, from: Data(payload.encoded().utf8))
    return (members["aps"] ?? [:]).compactMapValues(\.value)
  }

  private func decoded(
    _ text: String, attributes: ProposalActivityAttributes? = nil
  ) throws -> (attributes: ProposalActivityAttributes, state: ProposalActivityAttributes.ContentState) {
    let aps = try JSONDecoder().decode(Outer.self, from: Data(text.utf8)).aps
    return (try #require(aps.attributes ?? attributes), aps.state)
  }
}

/// A payload as a phone reads it.
private struct Outer: Decodable {
  let aps: Inner

  struct Inner: Decodable {
    let attributes: ProposalActivityAttributes?
    let state: ProposalActivityAttributes.ContentState

    private enum CodingKeys: String, CodingKey {
      case attributes
      case state = "content-state"
    }
  }
}

/// A number, a text, or something else.
private struct Member: Decodable {
  let value: Any

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    value = (try? container.decode(Int.self)) ?? (try? container.decode(String.self)) ?? ()
  }
}

private struct Stubborn: LiveActivityAttributes {
  mutating func shorten(by excess: Int) {}

  struct ContentState: LiveActivityPart {
    var text: String

    mutating func shorten(by excess: Int) {}
  }
}
