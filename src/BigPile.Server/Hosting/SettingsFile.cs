using System;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings of the file beside the program and of the environment, for commands that start no server.</summary>
internal static class SettingsFile
{
    internal static IConfiguration Read() => new ConfigurationBuilder()
        .SetBasePath(AppContext.BaseDirectory)
        .AddJsonFile("appsettings.json", optional: true)
        .AddEnvironmentVariables("ASPNETCORE_")
        .AddEnvironmentVariables()
        .Build();
}
