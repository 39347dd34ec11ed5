import CLI
import Console
import Documents
import FoundationEssentials

/// How things are with a person in one app: settings, devices, quiet hours, and what waits for them.
struct AppView {
  let app: AppState
  let now: Date
  /// Whether its devices are not the first ones.
  let isPart: Bool
  /// The person's page, with what it chooses of the decisions.
  let person: Address

  var html: HTML {
    part(app.app) {
      tag(.div, .region("app-\(app.app)")) {
        facts(state)
        if let band = app.band { QuietBandDrawing(band: band, shownAt: app.shownAt, app: app.app).html }
        waiting
        deviceTable
      }
    }
  }

  private var state: [(String, HTML)] {
    var state: [(String, HTML)] = [
      ("notifications", app.isEnabled ? badge("on", "good") : badge("all switched off", "bad")),
      ("badge", badgeFact),
    ]
    if !app.switchedOff.isEmpty {
      state.insert(("switched off", HTML(app.switchedOff.joined(separator: ", "))), at: 1)
    }
    for (level, label) in [(AppState.Mute.Level.muted, "muted"), (.important, "only important")] {
      let places = app.mutes.filter { $0.level == level }
      if !places.isEmpty { state.insert((label, names(of: places)), at: state.count - 1) }
    }
    let zone = app.band?.zone ?? app.timeZone ?? "UTC"
    if !app.pauses.isEmpty { state.append(("muted for a while", pauses)) }
    state.append(("quiet hours", HTML(app.quietHours.map { "\($0.hours)\($0.otherDays) \(zone)" } ?? "none")))
    if let until = app.shownAt ?? app.quietHours?.until, until > now {
      state.append(
        ("a push sent now", HTML("is shown at ") + time(until, now: now) + HTML(", unless it may not wait")))
    } else {
      state.append(("a push sent now", HTML("is shown at once")))
    }
    state.append(("language", language))
    switch app.unreadReminders {
    case nil: break
    case .off: state.append(("reminders of what stays unread", badge("switched off", "notice")))
    case .noMailbox: state.append(("reminders of what stays unread", badge("their address has no mailbox", "bad")))
    }
    if let isOn = app.liveActivities {
      state.append(("Live Activities", isOn ? badge("on", "good") : badge("switched off", "notice")))
    }
    if let limit = app.hourlyLimit {
      state.append(("pushes an hour", HTML("\(app.pushesOfLastHour) of \(limit)")))
    }
    return state
  }

  @HTMLBuilder private var language: HTML {
    if let language = app.language {
      name(language.tag)
      if language.texts != language.tag { " by the texts in \(language.texts)" }
      tag(.small) { language.isChosen ? " their choice" : " of their last device" }
    } else {
      "en"
      tag(.small) { " neither they nor a device name one" }
    }
  }

  private func names(of places: [AppState.Mute]) -> HTML {
    tag(.ul, .class("plain")) {
      for place in places {
        tag(.li) {
          name(app.title(of: place))
          tag(.small) { " \(place.place.words)" }
        }
      }
    }
  }

  private var pauses: HTML {
    tag(.ul, .class("plain")) {
      for pause in app.pauses {
        tag(.li) {
          name(pause.name ?? (pause.scope == .person ? "everything" : app.app))
          tag(.small) { " \(pause.scope.rawValue)" }
          " until "
          time(pause.until, now: now)
        }
      }
    }
  }

  /// The app's number, and whether all phones show it.
  private var badgeFact: HTML {
    let differing = app.devices.count { $0.differs == true }
    var number = HTML(BoundedCount.words(app.badge))
    if let rule = app.badgeRule { number += tag(.small) { " \(rule)" } }
    guard app.badge <= BoundedCount.most else { return number }
    if differing > 0 { return number + HTML(" ") + badge("\(differing) of their phones show another", "bad") }
    let shown = app.devices.compactMap(\.badge)
    guard let first = shown.first else { return number }
    // What is held counts already, and the icons follow with its push.
    guard first == app.badge else {
      return number + HTML(" ") + badge(app.iconWords(showing: first), "notice")
    }
    guard app.deviceCount == nil else { return number + HTML(" ") + badge("the phones listed agree", "good") }
    return number + HTML(" ")
      + badge(shown.count == 1 ? "their phone agrees" : "their \(shown.count) phones agree", "good")
  }

  /// The windows that do not read alike.
  private var windows: [AppState.Window] {
    var known: Set<String> = []
    return app.windows.filter { known.insert("\($0.family) \(TimeText.onPage($0.until, now: now))").inserted }
  }

  private var waiting: HTML {
    guard !app.waiting.isEmpty || !app.windows.isEmpty else { return HTML() }
    return tag(.ul) {
      for one in app.waiting {
        tag(.li) {
          name(
            "\(one.kind.words)\(one.subjectName.map { " on \($0.isolated)" } ?? "") waits: \(one.reason.words), until ",
            longest: 200)
          time(one.until, now: now)
        }
      }
      for window in windows {
        tag(.li) {
          name("more \(window.family.words) are gathered until ")
          time(window.until, now: now)
        }
      }
    }
  }

  private var deviceTable: HTML {
    guard !app.devices.isEmpty else {
      return emptiness(isPart ? "There are no more devices." : "No device has registered for this app.")
    }
    return table(
      "Devices of \(app.app)", ["device", "state", "badge", "last reached"], numbers: ["badge"], class: "stack"
    ) {
      for one in app.devices {
        tag(.tr) {
          tag(.th, .scope("row")) {
            name(one.device.platform)
            " "
            tag(.code) { "\(one.device.token)…" }
            tag(.small) { " \(one.device.provider.title)" }
          }
          cell("text") { state(of: one) }
          cell("number") {
            one.badge.map { "\($0)" } ?? ""
            if one.badge != nil { unseen(" on the icon") }
            if one.differs == true { " " + badge("not \(app.badge)", "bad") }
          }
          cell("tight labelled") {
            unseen("last reached ")
            if let at = one.lastAcceptedAt { ago(at, now: now) } else { "never" }
          }
        }
      }
    }
      + others
  }

  /// Where the other devices are.
  @HTMLBuilder private var others: HTML {
    if let count = app.deviceCount {
      tag(.p, .class("faint")) {
        "\(app.devices.count) of \(BoundedCount.words(count)) devices\(isPart ? "" : ", the active ones first"). "
        if let next = app.nextDevices {
          tag(
            .a, .id("devices-\(app.app)"),
            .href(person.with("app", app.app).with("devices", next).at("app-\(app.app)"))
          ) {
            "More devices"
            unseen(" of \(app.app)")
          }
        }
      }
    }
  }

  private func state(of device: AppState.OwnDevice) -> HTML {
    guard device.isActive else {
      let reason = device.deactivatedReason.map { " \($0)" } ?? ""
      return badge("not active", "bad") + HTML("\(reason) ")
        + (device.deactivatedAt.map { time($0, now: now) } ?? HTML())
    }
    if let until = device.heldUntil, until > now {
      return badge("asked for a pause", "notice") + HTML(" until ") + time(until, now: now)
    }
    return badge("active", "good")
      + (device.startsActivities == true ? HTML(" Live Activities can be started") : HTML())
  }
}

extension AppState.Quiet {
  /// `, saturday 23:30–10:00`.
  fileprivate var otherDays: String { (days ?? []).map { ", \($0.weekday) \($0.hours)" }.joined() }
}

private func + (text: String, html: HTML) -> HTML { HTML(text) + html }
