using System;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Http.Security;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.Json;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>
/// Reloads API keys from the settings files while the server runs, so that a leaked key can be removed without a restart.
/// </summary>
/// <remarks>
/// Polls the files rather than watch them, as for a certificate. If the new keys are wrong, the old ones stay in use. Thread safety: all
/// members may be called concurrently.
/// </remarks>
internal sealed class KeyReload : IDisposable
{
    private readonly IConfigurationRoot _settings;
    private readonly KeyRing _keys;
    private readonly ILogger<KeyReload> _logger;
    private readonly Lock _reloading = new();
    private readonly ITimer? _timer;
    private string? _complaint;

    /// <param name="configuration">The sources of the settings; they are read again, and this object is not changed.</param>
    /// <param name="settings">Has the polling period.</param>
    /// <param name="keys">The keys.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">The log.</param>
    public KeyReload(
        IConfigurationManager configuration, SecuritySettings settings, KeyRing keys, TimeProvider time, ILogger<KeyReload> logger)
    {
        var again = new ConfigurationBuilder();
        foreach (IConfigurationSource source in configuration.Sources)
            again.Sources.Add(source is JsonConfigurationSource file ? Unwatched(file) : source);
        _settings = again.Build();
        _keys = keys;
        _logger = logger;
        if (settings.ReloadPeriod > TimeSpan.Zero && !keys.IsOpen)
            _timer = time.CreateTimer(
                static self => ((KeyReload)self!).ReloadIfChanged(), this, settings.ReloadPeriod, settings.ReloadPeriod);
    }

    /// <summary>Reads the keys again and replaces them if they changed.</summary>
    internal void ReloadIfChanged()
    {
        if (!_reloading.TryEnter())
            return; // a read that hangs blocks one thread, not one more each period
        try
        {
            _settings.Reload();
            SettingForms.CheckKeys(_settings);
            if (_keys.Replace(SecuritySettings.ReadKeys(_settings)))
                _logger.LogInformation("The keys are now {Keys}", string.Join(", ", _keys.Names.Order(StringComparer.Ordinal)));
            _complaint = null;
        }
        catch (Exception e) when (e is SettingsException or ArgumentException or IOException or InvalidDataException
            or UnauthorizedAccessException or FormatException)
        {
            Complain(e.InnerException is { } inner ? $"{e.Message} {inner.Message}" : e.Message);
        }
        finally
        {
            _reloading.Exit();
        }
    }

    public void Dispose()
    {
        _timer?.Dispose();
        foreach (IDisposable file in _settings.Providers.OfType<JsonConfigurationProvider>())
            file.Dispose();
    }

    private static JsonConfigurationSource Unwatched(JsonConfigurationSource file) =>
        new() { FileProvider = file.FileProvider, Path = file.Path!, Optional = file.Optional };

    // Log once, not at each poll.
    private void Complain(string reason)
    {
        if (_complaint == reason)
            return;
        _complaint = reason;
        _logger.LogError("The keys in the settings can't be used, those before stay: {Reason}", reason);
    }
}
