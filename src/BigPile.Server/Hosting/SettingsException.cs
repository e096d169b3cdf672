using System;

namespace BigPile.Server.Hosting;

/// <summary>A setting is not what it must be. The message is for the one who set it.</summary>
internal sealed class SettingsException(string message) : Exception(message)
{
    /// <summary>A setting has a value that it can't have.</summary>
    /// <param name="name">The setting's whole name.</param>
    /// <param name="value">What it is, as far as it may be shown.</param>
    /// <param name="must">What it must do, such as "be true or false".</param>
    internal static SettingsException Of(string name, string? value, string must) =>
        new($"The setting '{name}' is '{value}'; it must {must}.");
}
