import FunctionKit
import Testing

@testable import PushEmulator

struct PushHistoryTests {
  @Test(arguments: [("after since", 2, Int.max, [3, 4, 5], 5), ("up to a limit", 0, 2, [1, 2], 2)])
  func aPageNamesTheNext(_ name: String, since: Int, limit: Int, numbers: [Int], next: Int) {
    let history = PushHistory((1...5).map { Samples.record($0) })

    let page = history.page(query { ($0.since, $0.limit) = (since, limit) })

    #expect(page.records.map(\.seq) == numbers)
    #expect(page.next == next)
  }

  @Test func filtersByTokenAndKindAndPassesOverTheRest() {
    let other = String(repeating: "cd", count: 32)
    let history = PushHistory([
      Samples.record(1), Samples.record(2, token: other), Samples.record(3, body: #"{"type":"new_comment"}"#),
    ])

    #expect(history.page(query { $0.tokens = [Glob(other)] }).records.map(\.seq) == [2])
    #expect(history.page(query { $0.kind = "new_comment" }).records.map(\.seq) == [3])
    #expect(history.page(query { $0.kind = "none" }).next == 3)
  }

  @Test func keepsTheLatestInOrder() {
    let count = 13
    let record = Samples.record(1)
    let history = PushHistory((1...count).lazy.map { PushRecord(copyOf: record, seq: $0) }, capacity: 10)

    #expect(history.all.map(\.seq) == Array(4...count))
    #expect(history.page(query { $0.last = 2 }).records.map(\.seq) == [count - 1, count])
    #expect(history.page(query { $0.since = count - 1 }).records.map(\.seq) == [count])
  }

  @Test func aNumberThatIsYetToComeCountsAsTheLatest() {
    var history = PushHistory([Samples.record(1)])

    #expect(history.page(query { $0.since = 9 }).next == 1)
    history.append(Samples.record(2))
    #expect(history.page(query { $0.since = 1 }).records.map(\.seq) == [2])
  }

  @Test func aResetForgetsPushesButNotTheirNumbers() {
    var history = PushHistory([Samples.record(1), Samples.record(2)])
    history.removeAll()

    #expect(history.page(PushQuery()).records.isEmpty)
    #expect(history.page(PushQuery()).next == 2)
    history.append(Samples.record(3))
    #expect(history.page(query { $0.since = 2 }).records.map(\.seq) == [3])
  }

  @Test func kindIsTheTypeElseTheCategoryElseThePushType() {
    #expect(Samples.record(1, body: #"{"type":"t","aps":{"category":"c"}}"#).kind == "t")
    #expect(Samples.record(1, body: #"{"aps":{"category":"c"}}"#).kind == "c")
    #expect(Samples.record(1, body: "{}").kind == "alert")
  }

  @Test func aRecordShowsWhatWasSentAndAnswered() throws {
    let json = Samples.record(7, ["apns-collapse-id": "x"], device: .unregistered(since: 1)).json

    #expect(json["collapseID"]?.stringValue == "x")
    #expect(json["priority"]?.intValue == 10)
    #expect(json["expiration"]?.intValue == 1_800_003_600)
    #expect(json["status"]?.intValue == 410)
    #expect(json["reason"]?.stringValue == "Unregistered")
    #expect(json["provider"]?["keyID"]?.stringValue == "LOCALKEY01")
    #expect(json["payload"]?["aps"]?["alert"]?["body"]?.stringValue == "B")
  }

  private func query(_ change: (inout PushQuery) -> Void) -> PushQuery {
    var query = PushQuery()
    change(&query)
    return query
  }
}

extension PushRecord {
  fileprivate init(copyOf record: PushRecord, seq: Int) {
    let json = RawJSON(object: [
      ("seq", RawJSON(seq)), ("token", RawJSON(record.token)), ("kind", RawJSON(record.kind)),
    ])
    self = PushRecord(json) ?? record
  }
}
