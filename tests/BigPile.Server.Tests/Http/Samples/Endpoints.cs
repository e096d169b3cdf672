using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Tests.Http.Samples;

/// <summary>What the README shows of serving tables from an application of one's own.</summary>
public static class Endpoints
{
    public static WebApplication Build(WebApplicationBuilder builder, string directory)
    {
        // README: endpoints
        builder.Services.AddBigPile(pile => pile.Directory = directory);
        builder.Services.AddBigPileHttp();
        WebApplication app = builder.Build();
        app.MapBigPile();                                                // the whole service, under /v1
        app.MapTable<Product>("/products/{key}", "products");            // the objects of one table, as JSON
        app.MapTable("/pages/{**key}", "pages");                         // payloads as they were put, keys with slashes
        // README: end of endpoints
        return app;
    }

    public sealed record Product(string Name, decimal Price);
}
