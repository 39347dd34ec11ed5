import FoundationEssentials
import FunctionKit
import Notifications
import PushPayload
import Testing

/// The payloads of proposals as they arrive, except for the badge and the notification's id.
struct ProposalPayloadTests {
  private static let id = UUID(uuid: (0xF4, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
  private static let now = Date(timeIntervalSince1970: 1_893_787_200)
  private static let proposal = Proposal(
    id: id, title: "Game Night", proposer: "Sarah", groupID: id, group: "College Friends",
    deadline: now.addingTimeInterval(86_400), visibility: .sharedWithName)

  private func expect<N: Notice>(_ notice: N, _ reason: RecipientReason, sound: String? = nil) throws {
    let recipient = Recipient(reason, timeZone: "America/New_York")
    let payload = try notice.payload(for: recipient, sound: sound).encoded()
    let file = try Repository.text("Tests/FunctionTests/Payloads/lockitin/\(notice.kind.name).json")
    #expect(try sorted(payload) == sorted(file))
  }

  private func sorted(_ json: String) throws -> String {
    func normal(_ value: RawJSON) -> String {
      if let elements = value.elements { return "[\(elements.map(normal).joined(separator: ","))]" }
      guard value.bytes.first == UInt8(ascii: "{") else { return String(decoding: value.bytes, as: UTF8.self) }
      let members = value.members.sorted { $0.name < $1.name }
      return "{\(members.map { "\($0.name):\(normal($0.value))" }.joined(separator: ","))}"
    }
    return normal(try RawJSON(validating: Array(json.utf8)[...]))
  }

  @Test func aNewProposal() throws {
    try expect(NewProposal(Self.proposal, members: 4, at: Self.now), .member)
  }

  @Test func aVote() throws {
    try expect(VoteOnProposal(.yes, by: "Mike", on: Self.proposal), .organizer)
  }

  @Test func aNewLead() throws {
    let option = OptionTally(
      option: Self.id, startsAt: Date(timeIntervalSince1970: 1_894_579_200), yes: 6, maybe: 1, lastVote: Self.now)
    try expect(LeadingOptionChange(to: option, of: 8, in: Self.proposal), .voter)
  }

  @Test func newOptions() throws {
    try expect(OptionsChange(of: Self.proposal, options: 3, version: 2), .voter)
  }

  @Test func aConfirmation() throws {
    let notice = EventConfirmation(
      of: Self.id, title: "Game Night", organizer: "Sarah", start: Date(timeIntervalSince1970: 1_894_492_800),
      location: "Mike's Apartment", visibility: .sharedWithName)
    try expect(notice, .member, sound: "chime.caf")
  }
}
