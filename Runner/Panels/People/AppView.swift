import CLI
import Console
import FoundationEssentials
import FunctionKit

/// How things are with a person in one app: settings, devices, quiet hours, and what waits for them.
struct AppView {
  let app: RawJSON
  let now: Date

  /// How many devices are listed.
  private static let mostDevices = 50

  private var title: String { app.string("app") ?? "" }
  private var devices: [RawJSON] { app["devices"]?.list ?? [] }
  private var counted: Int { app["badge"]?.intValue ?? 0 }

  var html: HTML {
    part(title) {
      tag(.div, .region("app-\(title)")) {
        facts(state)
        if let band = app["band"] { QuietBandDrawing(band: band, shownAt: app.date("shownAt"), app: title).html }
        waiting
        deviceTable
      }
    }
  }

  private var state: [(String, HTML)] {
    var state: [(String, HTML)] = [
      (
        "notifications",
        app["isEnabled"]?.isTrue == true ? badge("on", "good") : badge("all switched off", "bad")
      ),
      ("badge", badgeFact),
    ]
    let off = (app["switchedOff"]?.list ?? []).compactMap(\.stringValue)
    if !off.isEmpty { state.insert(("switched off", HTML(off.joined(separator: ", "))), at: 1) }
    for (level, label) in [("muted", "muted"), ("important", "only important")] {
      let places = (app["mutes"]?.list ?? []).filter { $0.string("level") == level }
      if !places.isEmpty { state.insert((label, names(of: places)), at: state.count - 1) }
    }
    let hours = app["quietHours"]
    let zone = app["band"]?.string("zone") ?? app.string("timeZone") ?? "UTC"
    state.append(("quiet hours", HTML(hours?.string("hours").map { "\($0) \(zone)" } ?? "none")))
    if let until = app["quietHours"]?.date("until") {
      state.append(("a push sent now", HTML("is shown at ") + time(until, now: now) + HTML(", unless it may not wait")))
    } else {
      state.append(("a push sent now", HTML("is shown at once")))
    }
    if let limit = app["hourlyLimit"]?.intValue {
      state.append(("pushes an hour", HTML("\(app["pushesOfLastHour"]?.intValue ?? 0) of \(limit)")))
    }
    return state
  }

  private func names(of places: [RawJSON]) -> HTML {
    tag(.ul, .class("plain")) {
      for place in places {
        tag(.li) {
          name(place.string("name") ?? "")
          tag(.small) { " \(place.words("place"))" }
        }
      }
    }
  }

  /// The app's number, and whether all phones show it.
  private var badgeFact: HTML {
    let differing = devices.filter { $0["differs"]?.isTrue == true }.count
    let number = HTML("\(counted)")
    if differing > 0 { return number + HTML(" ") + badge("\(differing) of their phones show another", "bad") }
    let shown = devices.compactMap { $0["badge"]?.intValue }
    guard let first = shown.first else { return number }
    // What is held counts already, and the icons follow with its push.
    guard first == counted else {
      return number + HTML(" ") + badge("their phones say \(first) until the next push", "notice")
    }
    return number + HTML(" ")
      + badge(shown.count == 1 ? "their phone agrees" : "their \(shown.count) phones agree", "good")
  }

  private var waiting: HTML {
    let held = app["waiting"]?.list ?? []
    let windows = app["windows"]?.list ?? []
    guard !held.isEmpty || !windows.isEmpty else { return HTML() }
    return tag(.ul) {
      for one in held {
        tag(.li) {
          name("\(one.words("kind")) waits: \(one.words("reason")), until ")
          if let until = one.date("until") { time(until, now: now) }
        }
      }
      for window in windows {
        tag(.li) {
          name("more \(window.words("family")) are gathered until ")
          if let until = window.date("until") { time(until, now: now) }
        }
      }
    }
  }

  private var deviceTable: HTML {
    guard !devices.isEmpty else { return emptiness("No device has registered for this app.") }
    let listed = devices.prefix(Self.mostDevices)
    return table(
      "Devices of \(title)", ["device", "state", "badge", "last reached"], numbers: ["badge"], class: "stack"
    ) {
      for one in listed {
        let device = one["device"]
        tag(.tr) {
          tag(.th, .scope("row")) {
            name(device?.string("platform") ?? "")
            " "
            tag(.code) { "\(device?.string("token") ?? "")…" }
            tag(.small) { device?.string("provider") == "fcm" ? " FCM" : " APNs" }
          }
          cell("text") { state(of: one) }
          cell("number") {
            one["badge"]?.intValue.map { "\($0)" } ?? ""
            if one["differs"]?.isTrue == true { " " + badge("not \(counted)", "bad") }
          }
          cell("tight") { if let at = one.date("lastAcceptedAt") { time(at, now: now) } else { "never" } }
        }
      }
    }
      + (listed.count == devices.count
        ? HTML() : tag(.p, .class("faint")) { "\(listed.count) of \(devices.count) devices, the active ones first." })
  }

  private func state(of device: RawJSON) -> HTML {
    guard device["isActive"]?.isTrue == true else {
      let reason = device.string("deactivatedReason").map { " \($0)" } ?? ""
      return badge("not active", "bad") + HTML("\(reason) ")
        + (device.date("deactivatedAt").map { time($0, now: now) } ?? HTML())
    }
    if let until = device.date("heldUntil"), until > now {
      return badge("asked for a pause", "notice") + HTML(" until ") + time(until, now: now)
    }
    return badge("active", "good")
  }
}

private func + (text: String, html: HTML) -> HTML { HTML(text) + html }
