import Documents
import FoundationEssentials
import FunctionKit
import PushPayload

extension PhoneNote {
  /// Reads a notification of the emulator's `GET /devices`; `nil` for other JSON.
  /// - Parameter language: the device's, in which its app has registered the buttons.
  init?(_ shown: RawJSON, in language: String) {
    guard let push = shown["push"], let number = push["seq"]?.intValue else { return nil }
    let payload = push["payload"]
    let isFCM = push["service"]?.stringValue == "fcm"
    let android = isFCM ? payload?["android"]?["notification"] : nil
    let aps = isFCM ? payload?["apns"]?["payload"]?["aps"] : payload?["aps"]
    let alert = isFCM ? payload?["notification"] : aps?["alert"]
    let values = isFCM ? payload?["data"] : payload
    let category = aps?["category"]?.stringValue.flatMap(ActionCategory.init)
    self.init(
      push: number, at: push["receivedAt"]?.stringValue.flatMap(RFC3339.date) ?? .distantPast,
      kind: push["kind"]?.stringValue ?? "", title: alert?["title"]?.stringValue,
      subtitle: alert?["subtitle"]?.stringValue, body: alert?["body"]?.stringValue ?? alert?.stringValue,
      thread: aps?["thread-id"]?.stringValue,
      image: android?["image"]?.stringValue ?? values?["imageUrl"]?.stringValue
        ?? values?["actor_avatar_url"]?.stringValue,
      sound: aps?["sound"]?.stringValue ?? aps?["sound"]?["name"]?.stringValue,
      level: aps?["interruption-level"]?.stringValue.flatMap(Level.init(rawValue:)) ?? .active,
      replaced: shown["replaced"]?.intValue ?? 0,
      collapseID: push["collapseID"]?.stringValue, link: values.flatMap(Self.link),
      notification: (values?["notification_id"] ?? values?["notificationId"])?.stringValue
        .flatMap(UUID.init(uuidString:)).map(RowID.init(uuid:)),
      buttons: category?.actions.map { Button($0, in: language) } ?? [])
  }

  /// The place that the push names, else the one that its content is about.
  private static func link(_ values: RawJSON) -> String? {
    if let named = (values["actionUrl"] ?? values["deep_link"])?.stringValue { return named }
    guard let payload = PushPayload(json: Array(values.bytes)) else { return nil }
    let places: [DeepLink?] = [
      ReceivedPush<FeedbackKitPush>(payload).link, ReceivedPush<LockItInPush>(payload).link,
      ReceivedPush<RepairMinderPush>(payload).link, ReceivedPush<MessageAIPush>(payload).link,
      ReceivedPush<MugshotPush>(payload).link,
    ]
    return places.compactMap(\.self).first?.url
  }
}

extension PhoneNote.Button {
  fileprivate init(_ action: PushAction, in language: String) {
    self.init(
      action: action.rawValue, title: action.title(in: language), isDestructive: action.isDestructive,
      opensApp: action.opensApp, placeholder: action.textInput(in: language)?.placeholder)
  }
}

extension PhoneActivity {
  /// Reads a Live Activity of the emulator's `GET /devices`; `nil` for other JSON, and for one that is gone.
  init?(_ shown: RawJSON) {
    guard let push = shown["push"]?.intValue, let phase = shown["phase"]?.stringValue.flatMap(Phase.init) else {
      return nil
    }
    self.init(
      push: push, startedAt: shown["startedAt"]?.stringValue.flatMap(RFC3339.date) ?? .distantPast,
      at: Self.time(shown["timestamp"]?.intValue ?? 0), type: shown["type"]?.stringValue,
      phase: phase, channel: shown["channel"]?.stringValue,
      dismissedAt: shown["dismissedAt"]?.stringValue.flatMap(RFC3339.date))
    typealias Proposal = ProposalActivityAttributes
    if let state: Proposal.ContentState = Self.read(shown["state"]) {
      let about: Proposal? = Self.read(shown["attributes"])
      (title, subtitle, status) = (about?.title, about?.groupName, state.status.rawValue)
      (deadline, votes, members) = (state.deadline, state.votes, state.members)
      let options = state.options.isEmpty ? [state.leader].compactMap(\.self) : state.options
      (self.options, others) = (options.map { Option($0, isLeading: $0.id == state.leader?.id) }, state.others)
    } else if let state: OrderActivityAttributes.ContentState = Self.read(shown["state"]) {
      let about: OrderActivityAttributes? = Self.read(shown["attributes"])
      (title, subtitle, status) = (about?.number.map { "Order #\($0)" } ?? "Order", about?.device, state.status)
    } else {
      (title, state) = (shown["alert"]?["title"]?.stringValue ?? type ?? "", shown["state"]?.printable)
    }
  }

  /// A push may have any number, such as nanoseconds: what lies behind the year 9999 is its last second.
  private static func time(_ seconds: Int) -> Date {
    Date(timeIntervalSince1970: Double(min(seconds, 253_402_300_799)))
  }

  private static func read<Part: Decodable>(_ json: RawJSON?) -> Part? {
    json.flatMap { try? JSONDecoder().decode(Part.self, from: Data($0.bytes)) }
  }
}

extension PhoneActivity.Option {
  fileprivate init(_ option: ProposalActivityAttributes.Option, isLeading: Bool) {
    // A push may have any number, and these are added.
    let (yes, maybe) = (min(option.yes, Int(Int32.max)), min(option.maybe ?? 0, Int(Int32.max)))
    self.init(start: option.start, yes: max(0, yes), maybe: max(0, maybe), isLeading: isLeading)
  }
}

extension PhoneFault {
  /// Reads one of the emulator's `GET /faults`.
  init?(_ fault: RawJSON) {
    guard let number = fault["id"]?.intValue, let answer = fault["answer"] else { return nil }
    let parts = [
      answer["status"]?.intValue.map { $0 == 200 ? "accepts" : "\($0)" }, answer["reason"]?.stringValue,
      answer["reset"] == nil ? nil : "the stream is reset", answer["drop"] == nil ? nil : "the connection is dropped",
      answer["never"] == nil ? nil : "no answer", answer["delay"]?.intValue.map { "after \($0) ms" },
    ]
    self.init(
      number: number, words: parts.compactMap(\.self).joined(separator: " "),
      token: fault["tokens"]?.stringValue.map { String($0.prefix(8)) }, times: fault["times"]?.intValue,
      fired: fault["fired"]?.intValue ?? 0)
  }
}
