import BleperaDBus
import Testing

@Suite("Introspection")
struct IntrospectionTests {
  private static let start = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>

    """

  private static let properties = """
      <interface name="org.freedesktop.DBus.Properties">
        <method name="Get">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="property_name" type="s" direction="in"/>
          <arg name="value" type="v" direction="out"/>
        </method>
        <method name="GetAll">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="properties" type="a{sv}" direction="out"/>
        </method>
        <method name="Set">
          <arg name="interface_name" type="s" direction="in"/>
          <arg name="property_name" type="s" direction="in"/>
          <arg name="value" type="v" direction="in"/>
        </method>
        <signal name="PropertiesChanged">
          <arg name="interface_name" type="s"/>
          <arg name="changed_properties" type="a{sv}"/>
          <arg name="invalidated_properties" type="as"/>
        </signal>
      </interface>

    """

  private static let others = """
      <interface name="org.freedesktop.DBus.Introspectable">
        <method name="Introspect">
          <arg name="xml_data" type="s" direction="out"/>
        </method>
      </interface>
      <interface name="org.freedesktop.DBus.Peer">
        <method name="Ping"/>
      </interface>

    """

  @Test("An object shows its interfaces, with the properties it has")
  func object() {
    #expect(
      SampleTree.tree.introspect("/app/service0/char0") == Self.start + Self.properties + Self.others + """
          <interface name="org.bluez.GattCharacteristic1">
            <method name="ReadValue">
              <arg name="options" type="a{sv}" direction="in"/>
              <arg name="value" type="ay" direction="out"/>
            </method>
            <method name="Confirm">
              <annotation name="org.freedesktop.DBus.Method.NoReply" value="true"/>
            </method>
            <signal name="Changed">
              <arg name="a &lt; &quot;b&quot; &amp; c" type="(yv)"/>
            </signal>
            <property name="Value" type="ay" access="read"/>
            <property name="Notifying" type="b" access="read">
              <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="invalidates"/>
            </property>
            <property name="Handle" type="q" access="readwrite">
              <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
            </property>
            <property name="Secret" type="s" access="write"/>
          </interface>
        </node>

        """)
  }

  @Test("An object manager shows that it is one, and what is below it")
  func manager() {
    #expect(
      SampleTree.tree.introspect("/app") == Self.start + Self.properties + Self.others + """
          <interface name="org.freedesktop.DBus.ObjectManager">
            <method name="GetManagedObjects">
              <arg name="objpath_interfaces_and_properties" type="a{oa{sa{sv}}}" direction="out"/>
            </method>
            <signal name="InterfacesAdded">
              <arg name="object_path" type="o"/>
              <arg name="interfaces_and_properties" type="a{sa{sv}}"/>
            </signal>
            <signal name="InterfacesRemoved">
              <arg name="object_path" type="o"/>
              <arg name="interfaces" type="as"/>
            </signal>
          </interface>
          <node name="service0"/>
        </node>

        """)
  }

  @Test("A path that only leads to objects shows the way")
  func intermediate() throws {
    var tree = SampleTree.tree
    try tree.add("/z/a/b", interface: InterfaceDescription("a.b"))
    try tree.add("/z/a/c", interface: InterfaceDescription("a.b"))
    #expect(
      tree.introspect("/") == Self.start + Self.others + """
          <node name="app"/>
          <node name="z"/>
        </node>

        """)
    #expect(
      tree.introspect("/z/a") == Self.start + Self.others + """
          <node name="b"/>
          <node name="c"/>
        </node>

        """)
  }
}
