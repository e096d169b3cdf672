using System;
using System.Linq;
using System.Reflection;

namespace BigPile.Testing;

/// <summary>
/// What tests of the libraries above do to a pile that no caller can: by reflection, as they are no friends of its library.
/// </summary>
internal static class PileInside
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

    /// <summary>Fails as work in the background does.</summary>
    internal static void Fail(this Pile pile, string work, Exception exception) =>
        Call(Get(Get(pile, "Engine"), "Background"), "ReportFailure", work, exception);

    /// <summary>The records of a kind in the catalog.</summary>
    internal static int CountCatalog(this Pile pile, string kind)
    {
        object catalog = Get(Get(pile, "Engine"), "Catalog");
        Type kinds = typeof(Pile).Assembly.GetType("BigPile.Catalog.CatalogKind", throwOnError: true)!;
        return (int)Call(catalog, "Count", Enum.Parse(kinds, kind))!;
    }

    internal static object Get(object from, string property) =>
        TypesOf(from).Select(type => type.GetProperty(property, Any | BindingFlags.DeclaredOnly)).First(static found => found != null)!
            .GetValue(from)!;

    internal static object? Call(object on, string method, params object[] arguments) =>
        TypesOf(on).Select(type => type.GetMethod(method, Any | BindingFlags.DeclaredOnly)).First(static found => found != null)!
            .Invoke(on, arguments);

    private static System.Collections.Generic.IEnumerable<Type> TypesOf(object one)
    {
        for (Type? type = one.GetType(); type != null; type = type.BaseType)
            yield return type;
    }
}
