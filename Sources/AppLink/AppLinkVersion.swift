/// The version of AppLink's messages that this build speaks.
public let appLinkVersion = 1
