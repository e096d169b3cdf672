using System;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Http.Security;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.Json;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Takes up keys that the settings files have anew, while the server runs: one that leaked is gone without a stop.</summary>
/// <remarks>
/// The files are looked at from time to time rather than watched, as a certificate's are. Keys that are wrong leave the old ones in use.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class KeyReload : IDisposable
{
    private readonly IConfigurationRoot _settings;
    private readonly KeyRing _keys;
    private readonly ILogger<KeyReload> _logger;
    private readonly Lock _reloading = new();
    private readonly ITimer? _timer;
    private string? _complaint;

    /// <param name="configuration">What the settings come from; it is read once more from there, and stays as it is.</param>
    /// <param name="settings">Says how often.</param>
    /// <param name="keys">The keys.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">Where it says what it did.</param>
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

    /// <summary>Takes up the keys that the settings have now, if they are others.</summary>
    internal void ReloadIfChanged()
    {
        if (!_reloading.TryEnter())
            return; // a file that does not answer holds up one thread, and not one more each time
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

    // Once, and not each time that it is looked.
    private void Complain(string reason)
    {
        if (_complaint == reason)
            return;
        _complaint = reason;
        _logger.LogError("The keys in the settings can't be used, those before stay: {Reason}", reason);
    }
}
