import Foundation
import FunctionKit
import Notifications
import PushPayload
import Testing

@testable import NotificationCreated

/// The pushes that arrive on a phone for each kind that an app tells by rows of its own.
///
/// Each is compared with a file that follows the app's description.
struct AppPayloadTests {
  private static let id = "e1000000-0000-4000-8000-000000000001"

  /// The columns and the `data` of a row of each kind; the texts are left out where the description has them.
  private static let rows: [(app: App, kind: String, columns: [String: String], data: [String: String])] = [
    (.repairMinder, "order_created", texts("New Order", "Order #1234 for John Smith"), order),
    (.repairMinder, "order_status_changed", order, ["order_number": "1234", "status": "ready"]),
    (.repairMinder, "device_assigned", texts("Device Assigned", "iPhone 15 is yours"), device),
    (.repairMinder, "device_status_changed", texts("Device Repaired", "iPhone 15 is ready for testing"), device),
    (.repairMinder, "ticket_message", texts("Ticket #4521", "Is it done?"), ticket),
    (.repairMinder, "ticket_reopened", ticket, ["ticket_number": "4521"]),
    (.repairMinder, "payment_received", texts("Payment Received", "£189.00 for Order #1234"), order),
    (.repairMinder, "enquiry_received", enquiry, ["customer_name": "John Smith", "device": "iPhone 15"]),
    (.repairMinder, "enquiry_reply", texts("John Smith", "Tomorrow is fine"), enquiry),
    (.repairMinder, "quote_approved", order, quote.merging(["amount": "£189.00"]) { $1 }),
    (.repairMinder, "quote_rejected", order, quote),
    (.mugshot, "new_visit_from_friend", texts("New visit", "mia was at Kaffee Haus").merging(mia) { $1 }, visit),
    (.mugshot, "like", texts("New like", "mia liked your visit").merging(mia) { $1 }, visit),
    (.mugshot, "comment", texts("New comment", "mia: Looks good!").merging(mia) { $1 }, visit),
    (.mugshot, "friend_request", texts("Friend request", "mia wants to be friends"), friend),
    (.mugshot, "friend_accept", texts("You are friends", "mia accepted your request"), friend),
    (.mugshot, "friend_join", texts("mia is here", "Say hello"), friend.merging(["tap_action": "friends_feed"]) { $1 }),
    (
      .messageAI, "smart_notification", texts("MessageAI", "Anna needs an answer by noon"),
      ["conversationId": "c-17", "messageId": "m-4", "priority": "high"]
    ),
  ]

  private static let order = ["entity_id": "0d000000-0000-4000-8000-000000001234"]
  private static let device = ["entity_id": "de000000-0000-4000-8000-000000000015"]
  private static let ticket = ["entity_id": "1c000000-0000-4000-8000-000000004521"]
  private static let enquiry = ["entity_id": "ec000000-0000-4000-8000-000000000007"]
  private static let quote = ["customer_name": "John Smith", "order_number": "1234"]
  private static let mia = ["actor_username": "mia"]
  private static let visit = [
    "visit_id": "f1000000-0000-4000-8000-000000000001", "cafe_name": "Kaffee Haus",
    "actor_avatar_url": "https://example.com/mia.jpg",
  ]
  private static let friend = ["friend_user_id": "f2000000-0000-4000-8000-000000000002", "actor_username": "mia"]

  private static func texts(_ title: String, _ body: String) -> [String: String] { ["title": title, "body": body] }

  private func payload(_ index: Int) throws -> String {
    let (app, name, columns, data) = Self.rows[index]
    let kind = try #require(Kind.named(name, of: app))
    let id = try #require(UUID(uuidString: Self.id))
    let entry = AppEntry(id: id, columns: columns.mapValues { .string($0) }, data: data.mapValues { .string($0) })
    let encoded = try AppNotice(kind, entry).payload(for: Recipient(.addressee)).encoded()
    return PushPayload.insertID(id, as: app.profile.idKey, into: encoded).sent(withBadge: 1)
  }

  @Test(arguments: rows.indices)
  func arrivesAsDescribed(index: Int) throws {
    let (app, name, _, _) = Self.rows[index]
    let file = "Tests/FunctionTests/Payloads/\(app.rawValue)/\(name).json"
    let expected = try JSONSerialization.jsonObject(with: Data(Repository.text(file).utf8)) as? NSDictionary

    let payload = try JSONSerialization.jsonObject(with: Data(try payload(index).utf8)) as? NSDictionary

    #expect(payload == expected)
  }

  /// A kind that an app tells by rows needs no more than to be in the catalogue.
  @Test(arguments: Kind.catalogue.filter { !$0.app.profile.hasOwnTables }.map { "\($0.app.rawValue) \($0.name)" })
  func everyKindTellsTheWordsOfItsRow(name: String) throws {
    let words = name.split(separator: " ").map(String.init)
    let app = try #require(App(rawValue: words[0]))
    let kind = try #require(Kind.named(words[1], of: app))
    let facts = Set(App.allCases.flatMap(\.profile.subjectNames) + ["actor_username", "conversationId", "messageId"])
    let entry = AppEntry(
      id: try #require(UUID(uuidString: Self.id)), columns: ["title": "Title", "body": "Body"],
      data: Dictionary(uniqueKeysWithValues: facts.map { ($0, .string("x")) }))

    let payload = try AppNotice(kind, entry).payload(for: Recipient(.addressee))

    #expect(payload.alert == .init(title: "Title", body: "Body"))
    #expect(payload.values["type"] == .string(kind.name))
    #expect(payload.threadID == "x" && payload.interruptionLevel == kind.importance.interruptionLevel)
    #expect(app != .repairMinder || app.profile.link(payload) != nil)
    #expect(app != .mugshot || ReceivedPush<MugshotPush>(payload).content.target != nil)
  }

  /// Members that only a tap needs may be missing or unknown: the words are told all the same.
  @Test(
    arguments: Kind.catalogue.filter { !$0.app.profile.hasOwnTables }.map { "\($0.app.rawValue) \($0.name)" },
    [[:], ["tap_action": "home"]])
  func aRowWithItsWordsAloneIsTold(name: String, data: [String: String]) throws {
    let words = name.split(separator: " ").map(String.init)
    let app = try #require(App(rawValue: words[0]))
    let entry = AppEntry(
      id: try #require(UUID(uuidString: Self.id)), columns: ["title": "Title", "body": "Body"],
      data: data.mapValues { .string($0) })

    let notice = try AppNotice(try #require(Kind.named(words[1], of: app)), entry)

    let payload = notice.payload(for: Recipient(.addressee))
    #expect(payload.alert == .init(title: "Title", body: "Body") && payload.threadID == Self.id)
    #expect(app != .mugshot || ReceivedPush<MugshotPush>(payload).content.target == .notifications)
    #expect(notice.part == nil)
  }
}
