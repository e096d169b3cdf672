using System;

namespace BigPile.Server.Hosting;

/// <summary>A setting is wrong. The message is for the person who set it.</summary>
internal sealed class SettingsException(string message) : Exception(message)
{
    /// <summary>Creates the error for a wrong value.</summary>
    /// <param name="name">The setting's full name.</param>
    /// <param name="value">The value, as far as it may be displayed.</param>
    /// <param name="must">The requirement, such as "be true or false".</param>
    internal static SettingsException Of(string name, string? value, string must) =>
        new($"The setting '{name}' is '{value}'; it must {must}.");
}
