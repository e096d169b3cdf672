using System;
using System.Linq;

namespace BigPile.AspNetCore.Tests;

/// <summary>Who uses options needs no further namespace for their values.</summary>
public sealed class OptionNamespaceTests
{
    [Fact]
    public void What_options_are_made_of_is_in_the_namespace_of_the_options()
    {
        foreach (Type type in new[] { typeof(PileOptions), typeof(Caching.PileCacheOptions), typeof(Caching.TableOptions) })
        {
            foreach (Type option in type.GetProperties().Select(
                static option => Nullable.GetUnderlyingType(option.PropertyType) ?? option.PropertyType))
            {
                bool isNear = !option.FullName!.StartsWith("BigPile.", StringComparison.Ordinal)
                    || (type.Namespace + ".").StartsWith(option.Namespace + ".", StringComparison.Ordinal);
                Assert.True(isNear, $"{type}.{option} is in another namespace.");
            }
        }
    }
}
