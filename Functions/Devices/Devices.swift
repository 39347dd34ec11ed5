import API
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive

/// Registers, lists and unregisters the caller's devices and Live Activities.
@main
struct Devices: APIFunction {
  static let summary = "Registers, lists and unregisters devices, and Live Activities (HTTP)."
  static let endpoints: [Endpoint<Self>] = [
    Endpoint(.post, "/api/v1/devices/register", register),
    .reading(.get, "/api/v1/devices", list),
    Endpoint(.delete, "/api/v1/devices/{id}", unregister),
    Endpoint(.delete, "/api/v1/devices/token/{token}", unregisterByToken),
    Endpoint(.post, "/api/user/device-token", registerToken),
    Endpoint(.delete, "/api/user/device-token", unregisterToken),
    Endpoint(.post, "/api/v1/activities", registerActivity),
    Endpoint(.delete, "/api/v1/activities/{id}", endActivity),
  ]

  let tokens: TokenStore
  let store: DeviceStore

  static func live(_ environment: Environment) throws -> Self {
    // All people share a list's plan, and planning takes several times as long as reading the list.
    let connection = try Connection(
      environment, name: name, parameters: [("plan_cache_mode", "force_generic_plan")])
    return Self(tokens: TokenStore(connection), store: DeviceStore(connection))
  }

  private func register(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let registration = try DeviceRegistration(request.fields()).speaking(as: request)
    let device = try await store.register(registration, for: person, at: request.now, dryRun: request.dryRun)
    return .json(device.json, status: 201)
  }

  private func list(_ request: APIRequest) throws -> PersonalRead<HTTPResponse> {
    DeviceStore.devices(of: try request.parameter("app", .choice as FieldRule<App>)).map { devices in
      .json(RawJSON(object: [("devices", RawJSON(array: devices.map(\.json)))]))
    }
  }

  private func unregister(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let device = try request.id("id")
    guard try await store.unregister(device, of: person, at: request.now, dryRun: request.dryRun) else {
      throw APIError.notFound
    }
    return .noContent
  }

  /// Ends the pushes to a token that the app no longer has and has no device id for.
  private func unregisterByToken(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let sent = try request.text("token")
    guard !sent.contains(where: { "?#".contains($0) }), let path = URLComponents(string: "/\(sent)")?.path,
      String(path.dropFirst()).isDeviceToken
    else { throw APIError.notFound }
    let token = String(path.dropFirst())
    _ = try await store.unregister(token: token, app: nil, of: person, at: request.now, dryRun: request.dryRun)
    return .noContent
  }

  /// Registers the token of a Live Activity, or the one that starts them.
  private func registerActivity(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let registration = try ActivityRegistration(request.fields())
    let activity = try await store.register(registration, for: person, at: request.now, dryRun: request.dryRun)
    guard let activity else { throw APIError.notFound }
    return try .json(activity, status: 201)
  }

  private func endActivity(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let activity = try request.id("id")
    guard try await store.endActivity(activity, of: person, at: request.now, dryRun: request.dryRun) else {
      throw APIError.notFound
    }
    return .noContent
  }

  /// Registers a device with Repair Minder's names of the fields.
  private func registerToken(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let fields = try request.fields()
    let platform: DeviceRegistration.Platform = try fields.optional("platform", .choice) ?? .iOS
    var registration = DeviceRegistration(
      token: try fields.required("deviceToken", .deviceToken(of: platform.provider)), app: .repairMinder,
      platform: platform)
    registration.bundleID = try fields.optional("bundleId", .bundleID)
    registration.locale = try fields.optional("locale", .locale)
    let device = try await store.register(
      registration.speaking(as: request), for: person, at: request.now, dryRun: request.dryRun)
    return .json(device.json, status: 201)
  }

  /// Ends the pushes to a token; an unknown token is no error.
  private func unregisterToken(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let token = try request.fields().required("deviceToken", .anyDeviceToken)
    _ = try await store.unregister(
      token: token, app: .repairMinder, of: person, at: request.now, dryRun: request.dryRun)
    return .noContent
  }
}
