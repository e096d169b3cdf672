using System;

namespace BigPile.Server.Hosting;

/// <summary>A setting is not what it must be. The message is for the one who set it.</summary>
internal sealed class SettingsException(string message) : Exception(message);
