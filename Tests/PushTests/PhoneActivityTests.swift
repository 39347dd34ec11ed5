import Documents
import FoundationEssentials
import FunctionKit
import Testing

@testable import Push

/// Live Activities as the emulator tells them.
struct PhoneActivityTests {
  private func activity(
    _ state: String, attributes: String = "{}", timestamp: Int = 1_800_000_000, more: String = ""
  ) throws -> PhoneActivity? {
    let json =
      #"{"device":"ab","app":"a","phase":"stale","type":"T","push":4,"timestamp":\#(timestamp),"#
      + #""startedAt":"2027-01-15T08:00:00.000Z","attributes":\#(attributes),"state":\#(state)\#(more)}"#
    return PhoneActivity(try RawJSON(validating: Array(json.utf8)[...]))
  }

  @Test func aProposalIsReadWithItsTimes() throws {
    let (a, b) = ("0d9a8f10-0000-4000-8000-0000000000aa", "0d9a8f10-0000-4000-8000-0000000000bb")
    let leader = #"{"option_id":"\#(b)","starts_at":1800007200,"yes":4}"#
    let state =
      #"{"status":"open","deadline":1800000600,"votes":5,"members":8,"leader":\#(leader),"others":1,"#
      + #""options":[{"option_id":"\#(a)","starts_at":1800003600,"yes":1,"maybe":2,"no":0},\#(leader)]}"#
    let attributes = #"{"proposal_id":"\#(a)","group_id":"\#(b)","title":"Games","group":"Crew"}"#

    let read = try #require(try activity(state, attributes: attributes))

    #expect(read.title == "Games" && read.subtitle == "Crew" && read.status == "open" && read.phase == .stale)
    #expect(read.votes == 5 && read.members == 8 && read.others == 1 && read.push == 4 && read.state == nil)
    #expect(read.options.map(\.yes) == [1, 4] && read.options.map(\.maybe) == [2, 0])
    #expect(read.options.map(\.isLeading) == [false, true])
    #expect(read.options.last?.start.timeIntervalSince1970 == 1_800_007_200)
    #expect(read.deadline?.timeIntervalSince1970 == 1_800_000_600 && read.dismissedAt == nil)
  }

  @Test func aStateWithALeaderAloneShowsThat() throws {
    let leader = #"{"option_id":"0d9a8f10-0000-4000-8000-0000000000bb","starts_at":1800007200,"yes":4}"#
    let read = try activity(#"{"status":"confirmed","deadline":1,"votes":5,"leader":\#(leader)}"#)

    #expect(read?.options.count == 1 && read?.options.first?.isLeading == true && read?.title == nil)
  }

  @Test(arguments: [
    (#","order_number":"1234","device":"iPad""#, "Order #1234", "iPad"), ("", "Order", nil),
  ])
  func anOrderIsReadWithItsStatus(attributes: String, title: String, device: String?) throws {
    let state = #"{"status":"in_repair","is_done":false,"changed_at":1800000000,"closes_at":1800028800}"#

    let read = try #require(
      try activity(state, attributes: #"{"order_id":"0d9a8f10-0000-4000-8000-0000000000aa"\#(attributes)}"#))

    #expect(read.title == title && read.subtitle == device && read.status == "in_repair")
    #expect(read.state == nil && read.votes == nil && read.options.isEmpty)
  }

  @Test(arguments: ["{}", #"{"minutes":3}"#, #"{"status":"lost","deadline":1,"votes":0}"#])
  func anotherStateIsShownAsItIs(state: String) throws {
    let read = try activity(
      state, more: #","channel":"Y2g=","alert":{"title":"Ride"},"dismissedAt":"2027-01-15T09:00:00.000Z""#)

    #expect(read?.channel == "Y2g=")
    #expect(read?.title == "Ride" && read?.state == state && read?.options.isEmpty == true)
    #expect(read?.dismissedAt?.timeIntervalSince1970 == 1_800_003_600)
  }

  @Test(arguments: ["1e300", "\(Int.max)", "-1e300"])
  func numbersOfAnySizeAreShown(number: String) throws {
    let option =
      #"{"option_id":"0d9a8f10-0000-4000-8000-0000000000bb","starts_at":\#(number),"yes":\#(Int.max),"maybe":1}"#
    let read = try #require(
      try activity(
        #"{"status":"open","deadline":\#(number),"votes":\#(Int.max),"leader":\#(option)}"#,
        timestamp: .max))

    let times = [read.options.first?.start, read.deadline].map { $0.map(RFC3339.string) ?? "none" }
    let edge = number.hasPrefix("-") ? "1970-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.000Z"
    #expect(times == [edge, edge])
    #expect(RFC3339.string(read.at).hasPrefix("9999-"))
    #expect(read.options.map { $0.yes + $0.maybe } == [Int(Int32.max) + 1])
  }

  @Test func oneThatIsGoneIsNotShown() throws {
    let gone = try RawJSON(validating: Array(#"{"phase":"dismissed","push":1}"#.utf8)[...])

    #expect(PhoneActivity(gone) == nil)
  }
}
