using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.IO;
using System.Net;
using System.Threading.Tasks;
using BigPile.AspNetCore;
using BigPile.AspNetCore.Hosting;
using BigPile.Http;
using BigPile.Http.FastPath;
using BigPile.Http.Limits;
using BigPile.Http.Metrics;
using BigPile.Http.Protocol;
using BigPile.Http.Security;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Builds the web application.</summary>
internal static class ServerApplication
{
    /// <summary>Builds the application.</summary>
    /// <param name="args">The command line: settings as <c>--Name=value</c>.</param>
    /// <param name="configure">Changes the services; tests use it.</param>
    /// <exception cref="SettingsException">A setting is wrong.</exception>
    internal static WebApplication Build(string[] args, Action<IServiceCollection>? configure = null)
    {
        KnownSettings.CheckArguments(args);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions
        {
            Args = args,
            ContentRootPath = AppContext.BaseDirectory, // the settings file is next to the program, whatever the working directory
        });
        SettingsFile.AddTo(builder.Configuration, Directory.GetCurrentDirectory());
        SettingsFile.AddKeysTo(builder.Configuration);
        SettingForms.Check(builder.Configuration);
        FrameworkSettings.Check(builder.Configuration);
        ServerSettings settings = ServerSettings.Read(builder.Configuration);
        HttpSettings http = HttpSettings.Read(builder.Configuration);
        SecuritySettings security = SecuritySettings.Read(builder.Configuration);
        LimitSettings limits = LimitSettings.Read(builder.Configuration, settings.MaxBodyBytes);
        MetricSettings metrics = MetricSettings.Read(builder.Configuration);
        OtlpSettings? otlp = OtlpSettings.Read(builder.Configuration);
        Serilog.Core.Logger log = ServerLog.Configure(builder.Logging, builder.Configuration);
        ConfigureAddresses(builder, security);
        ConfigureServer(builder, settings, limits);
        ConfigureHttp(builder, http, security);
        AddServices(builder.Services, settings, limits);
        AddProtection(builder.Services, security, limits, metrics.AllowWithoutKeys ? metrics.Path : null);
        builder.Services.AddSingleton(provider => new KeyReload(
            builder.Configuration, security, provider.GetRequiredService<KeyRing>(), provider.GetRequiredService<TimeProvider>(),
            provider.GetRequiredService<ILogger<KeyReload>>()));
        AddObservation(builder.Services, settings);
        if (metrics.IsOn)
            builder.Services.AddBigPileMetrics(metrics.Meters);
        if (otlp != null)
            OtlpExport.AddTo(builder, otlp, metrics.Meters, log);
        configure?.Invoke(builder.Services);

        return Assemble(otlp == null ? builder.Build() : OtlpExport.Build(builder), metrics, security);
    }

    private static WebApplication Assemble(WebApplication app, MetricSettings metrics, SecuritySettings security)
    {
        try
        {
            _ = app.Services.GetService<ServerCertificate>(); // refuse a wrong certificate before anything is opened
            _ = app.Services.GetRequiredService<KeyReload>();
            _ = app.Services.GetRequiredService<ConnectionCount>(); // count from the first connection
            if (metrics.IsOn)
                _ = app.Services.GetRequiredService<MetricCollector>(); // collect from the opening of the pile
            app.Services.GetRequiredService<PileHost>().Begin();
            Map(app, metrics, security);
            return app;
        }
        catch
        {
            ((IDisposable)app).Dispose(); // closes the pile
            throw;
        }
    }

    private static void Map(WebApplication app, MetricSettings metrics, SecuritySettings security)
    {
        app.UseMiddleware<RequestLog>();
        security.Cors?.UseIn(app); // before all middleware that refuses, so that a page can read the reason
        app.UseMiddleware<RequestFaults>();
        app.UseMiddleware<ConcurrencyLimiter>();
        app.UseBigPileKeys();
        app.UseMiddleware<RequestDeadline>();
        app.UseBigPileEntries();
        app.UseMiddleware<ProblemPages>();
        app.UseRouting();
        app.MapBigPile();
        if (metrics.IsOn)
            app.MapBigPileMetrics(metrics.Path);
        app.MapBigPileConsole();
    }

    private static void ConfigureAddresses(WebApplicationBuilder builder, SecuritySettings security)
    {
        IReadOnlyList<string> addresses = ListenAddresses.Read(builder.Configuration);
        if (addresses.Count == 0)
            addresses = [ListenAddresses.Default];
        ListenAddresses.RefuseTwice(addresses);
        ListenAddresses.RefuseUnprotected(security.AdminUrl is { } url ? [.. addresses, url] : addresses, security);
        ListenAddresses.Set(builder.Configuration, addresses, security);
        TlsSettings.RequireFor(ListenAddresses.Read(builder.Configuration), builder.Configuration);
    }

    private static void ConfigureServer(WebApplicationBuilder builder, ServerSettings settings, LimitSettings limits)
    {
        if (TlsSettings.Read(builder.Configuration) is { } tls)
        {
            builder.Services.AddSingleton(tls);
            builder.Services.AddSingleton<ServerCertificate>();
        }
        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(server =>
        {
            server.AddServerHeader = false;
            server.RequestHeaderEncodingSelector = LengthEncoding.Select;
            server.Limits.MaxRequestBodySize = settings.MaxBodyBytes;
            limits.Apply(server.Limits);
            server.ConfigureHttpsDefaults(https => UseCertificate(https, server.ApplicationServices.GetService<ServerCertificate>()));
        });
    }

    private static void ConfigureHttp(WebApplicationBuilder builder, HttpSettings http, SecuritySettings security)
    {
        if (http.InlineScheduling)
            InlineScheduling.Enable(builder.WebHost);
        builder.Services.Configure<BigPileHttpOptions>(service => service.MaxLease = http.MaxLease);
        var guard = new ListenGuard(builder.Configuration, security);
        builder.WebHost.ConfigureKestrel(server => FastPathEndpoints.Configure(server, builder.Configuration, http, guard.Check));
    }

    // Selected at each handshake, so that a new certificate needs no restart.
    private static void UseCertificate(HttpsConnectionAdapterOptions https, ServerCertificate? certificate)
    {
        if (certificate == null)
            return;
        https.ServerCertificateSelector = (_, _) => certificate.Current.TargetCertificate;
        https.OnAuthenticate = (_, tls) =>
        {
            tls.ServerCertificateSelectionCallback = null; // it would send the certificate without its chain
            tls.ServerCertificateContext = certificate.Current;
        };
    }

    private static void AddProtection(IServiceCollection services, SecuritySettings security, LimitSettings limits, string? openPath)
    {
        services.AddSingleton(limits);
        services.Configure<BigPileOptions>(pile => pile.MaxTables = limits.Tables);
        services.AddSingleton(new RequestLoad(limits.ConcurrentRequests));
        security.Cors?.AddTo(services);
        services.AddSingleton(new AccessRules(
            security.AdminUrl is { } url ? ListenAddresses.PortOf(url) : null, security.Clients, openPath,
            security.Cors != null));
        services.AddBigPileKeys(security.Keys);
    }

    private static void AddObservation(IServiceCollection services, ServerSettings settings)
    {
        services.AddMetrics();
        services.AddSingleton(static provider => new RequestMeter(provider.GetRequiredService<IMeterFactory>()));
        services.AddSingleton(static provider => new ConnectionCount(provider.GetRequiredService<IMeterFactory>()));
        services.AddSingleton(new ReadSampler(settings.LogEntryReads ? settings.LogOneIn : 0));
        if (settings.LogEntryReads)
            services.AddSingleton<IReadLog, ReadLog>();
    }

    private static void AddServices(IServiceCollection services, ServerSettings settings, LimitSettings limits)
    {
        services.AddSingleton(settings);
        services.AddSingleton<Sample>();
        services.Configure<HostOptions>(host => host.ShutdownTimeout = settings.Drain);
        services.AddBigPile(settings.Pile.ApplyTo);
        services.AddBigPileHttp(service =>
        {
            service.MaxBodyBytes = settings.MaxBodyBytes;
            service.MaxBulkRequests = limits.BulkRequests;
            service.MaxInitialEntries = limits.InitialEntries;
            service.MaxBufferedBytes = limits.BufferedBytes;
        });
        services.AddOptions<BigPileOptions>().Configure<Sample>((pile, sample) => pile.Opened = sample.LoadIfEmpty);
    }
}

/// <summary>Checks each endpoint just before the server binds it, at the start and when its configuration changes at run time.</summary>
internal sealed class ListenGuard(IConfiguration configuration, SecuritySettings security)
{
    /// <summary>Refuses endpoints that other machines reach without a key or without TLS, unless that is allowed.</summary>
    /// <exception cref="SettingsException">This endpoint, or a configured one, is refused.</exception>
    internal void Check(ListenOptions endpoint)
    {
        ListenAddresses.RefuseUnprotected(ListenAddresses.Read(configuration), security);
        if (endpoint.IPEndPoint is { } ip && !IPAddress.IsLoopback(ip.Address))
            ListenAddresses.RefuseWithoutKeys(ip.ToString(), security);
    }
}

/// <summary>Adds a problem document to routing's 404 and 405 responses, which have no body.</summary>
internal sealed class ProblemPages(RequestDelegate next)
{
    public async Task InvokeAsync(HttpContext context)
    {
        await next(context).ConfigureAwait(false);
        HttpResponse response = context.Response;
        if (response.HasStarted || response.ContentType != null)
            return;
        if (response.StatusCode == StatusCodes.Status404NotFound)
            await ProblemResponse.WriteAsync(context, ProblemCatalog.RouteNotFound).ConfigureAwait(false);
        else if (response.StatusCode == StatusCodes.Status405MethodNotAllowed)
            await ProblemResponse.WriteAsync(context, ProblemCatalog.MethodNotAllowed).ConfigureAwait(false);
    }
}
