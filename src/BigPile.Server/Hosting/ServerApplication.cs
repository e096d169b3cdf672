using System;
using System.Collections.Generic;
using BigPile.Server.Loading;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace BigPile.Server.Hosting;

/// <summary>Puts the web application together.</summary>
internal static class ServerApplication
{
    /// <summary>Builds the application.</summary>
    /// <param name="args">The command line: settings as <c>--Name=value</c>.</param>
    /// <param name="configure">Changes the services; for tests.</param>
    /// <exception cref="SettingsException">A setting is wrong.</exception>
    internal static WebApplication Build(string[] args, Action<IServiceCollection>? configure = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions
        {
            Args = args,
            ContentRootPath = AppContext.BaseDirectory, // the settings file lies beside the program, wherever it is started from
        });
        ServerSettings settings = ServerSettings.Read(builder.Configuration);
        HttpSettings http = HttpSettings.Read(builder.Configuration);
        ServerLog.Configure(builder.Logging, builder.Configuration);
        ConfigureServer(builder, settings);
        ConfigureHttp(builder, settings, http);
        AddServices(builder.Services, settings);
        configure?.Invoke(builder.Services);

        WebApplication app = builder.Build();
        app.UseMiddleware<RequestLog>();
        app.UseBigPileEntries();
        app.UseMiddleware<ProblemPages>();
        app.UseRouting();
        app.MapBigPile();
        return app;
    }

    private static void ConfigureServer(WebApplicationBuilder builder, ServerSettings settings)
    {
        IReadOnlyList<string> addresses = ListenAddresses.Read(builder.Configuration);
        if (!settings.AllowInsecure)
            ListenAddresses.RefuseForeign(addresses);
        if (addresses.Count == 0)
            builder.WebHost.UseUrls(ListenAddresses.Default);
        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(server =>
        {
            server.AddServerHeader = false;
            server.Limits.MaxRequestBodySize = settings.MaxBodyBytes;
        });
    }

    private static void ConfigureHttp(WebApplicationBuilder builder, ServerSettings settings, HttpSettings http)
    {
        if (http.InlineScheduling)
            InlineScheduling.Enable(builder.WebHost);
        builder.Services.Configure<AspNetCore.BigPileOptions>(pile => pile.MaxLease = http.MaxLease);
        // The door's requests are not logged: where reads are to be, all go through the stack.
        if (http.FastDoor && !settings.LogEntryReads)
            builder.WebHost.ConfigureKestrel(server =>
                FastReads.Configure(server, builder.Configuration, ListenAddresses.Read(builder.Configuration), http));
    }

    private static void AddServices(IServiceCollection services, ServerSettings settings)
    {
        services.AddSingleton(settings);
        services.AddSingleton<Sample>();
        services.Configure<HostOptions>(host => host.ShutdownTimeout = settings.Drain);
        services.AddBigPile(pile =>
        {
            pile.Directory = settings.Directory;
            pile.SegmentBytes = settings.SegmentBytes;
            pile.MaxBytes = settings.MaxBytes;
            pile.MaxBodyBytes = settings.MaxBodyBytes;
        });
        services.AddOptions<AspNetCore.BigPileOptions>().Configure<Sample>((pile, sample) => pile.Opened = sample.LoadIfEmpty);
    }
}
