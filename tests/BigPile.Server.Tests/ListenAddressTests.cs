using System.Collections.Generic;
using System.Linq;
using BigPile.Server.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Tests;

public sealed class ListenAddressTests
{
    [Theory]
    [InlineData("http://127.0.0.1:1", "urls=http://127.0.0.1:1")]
    [InlineData("http://127.0.0.1:2", "urls=http://127.0.0.1:1", "Kestrel:Endpoints:A:Url=http://127.0.0.1:2")]
    [InlineData("http://127.0.0.1:2", "urls=http://127.0.0.1:1", "Kestrel:Endpoints:A:Url=http://127.0.0.1:2", "preferHostingUrls=no")]
    [InlineData("http://127.0.0.1:1", "urls=http://127.0.0.1:1", "Kestrel:Endpoints:A:Url=http://127.0.0.1:2", "preferHostingUrls=true")]
    [InlineData("http://127.0.0.1:1", "urls=http://127.0.0.1:1", "Kestrel:Endpoints:A:Url=http://127.0.0.1:2", "preferHostingUrls=1")]
    [InlineData("http://*:3", "http_ports=3", "Kestrel:Endpoints:A:Url=http://127.0.0.1:2", "preferHostingUrls=True")]
    [InlineData("http://127.0.0.1:2", "Kestrel:Endpoints:A:Url=http://127.0.0.1:2", "preferHostingUrls=true")]
    public void The_addresses_are_those_that_the_server_takes(string expected, params string[] settings)
    {
        ConfigurationManager configuration = Configure(settings);
        Assert.Equal([expected], ListenAddresses.Read(configuration));
        ListenAddresses.Set(configuration, ListenAddresses.Read(configuration), SecuritySettings.Read(configuration));
        Assert.Equal([expected], ListenAddresses.Read(configuration));
    }

    [Fact]
    public void The_port_for_administrators_is_listened_on_whatever_is_preferred()
    {
        foreach (string preferred in new[] { "true", "false" })
        {
            ConfigurationManager configuration = Configure(
                "urls=http://127.0.0.1:1", "Kestrel:Endpoints:A:Url=http://127.0.0.1:2", "preferHostingUrls=" + preferred,
                "Security:AdminUrl=http://127.0.0.1:9");
            ListenAddresses.Set(configuration, ListenAddresses.Read(configuration), SecuritySettings.Read(configuration));
            Assert.Equal(["http://127.0.0.1:" + (preferred == "true" ? 1 : 2), "http://127.0.0.1:9"], ListenAddresses.Read(configuration));
        }
    }

    [Fact]
    public void An_endpoint_that_others_reach_is_refused_when_it_is_about_to_be_bound_too()
    {
        ConfigurationManager configuration = Configure("urls=http://127.0.0.1:1");
        var server = new KestrelServerOptions();
        var guard = new ListenGuard(configuration, SecuritySettings.Read(configuration));
        server.ConfigureEndpointDefaults(guard.Check);
        server.ListenLocalhost(5080);
        Assert.Contains(
            "would listen on", Assert.Throws<SettingsException>(() => server.ListenAnyIP(5080)).Message, System.StringComparison.Ordinal);
    }

    [Fact]
    public void An_endpoint_that_is_configured_while_the_server_runs_is_refused_like_one_from_the_start()
    {
        ConfigurationManager configuration = Configure(
            "urls=http://127.0.0.1:1", "Security:AllowWithoutKeys=true", "Kestrel:Endpoints:A:Url=http://127.0.0.1:2");
        var guard = new ListenGuard(configuration, SecuritySettings.Read(configuration));
        var server = new KestrelServerOptions();
        server.ConfigureEndpointDefaults(guard.Check);
        server.ListenAnyIP(5080); // of which TLS is not known yet
        configuration["Kestrel:Endpoints:A:Url"] = "http://0.0.0.0:2";
        Assert.Contains(
            "encrypt", Assert.Throws<SettingsException>(() => server.ListenAnyIP(5081)).Message, System.StringComparison.Ordinal);
    }

    private static ConfigurationManager Configure(params string[] settings)
    {
        var configuration = new ConfigurationManager();
        configuration.AddInMemoryCollection(settings.Select(static setting => setting.Split('=', 2))
            .Select(static pair => new KeyValuePair<string, string?>(pair[0], pair[1])));
        return configuration;
    }
}
