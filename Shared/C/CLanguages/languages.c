#include "languages.h"

#include <string.h>

static const unsigned char ar[] = {
#embed "../../../Shared/Notifications/Languages/ar.strings"
  , 0
};
static const unsigned char de[] = {
#embed "../../../Shared/Notifications/Languages/de.strings"
  , 0
};
static const unsigned char en[] = {
#embed "../../../Shared/Notifications/Languages/en.strings"
  , 0
};
static const unsigned char es[] = {
#embed "../../../Shared/Notifications/Languages/es.strings"
  , 0
};
static const unsigned char fr[] = {
#embed "../../../Shared/Notifications/Languages/fr.strings"
  , 0
};
static const unsigned char ja[] = {
#embed "../../../Shared/Notifications/Languages/ja.strings"
  , 0
};
static const unsigned char pt[] = {
#embed "../../../Shared/Notifications/Languages/pt.strings"
  , 0
};

static const struct {
  const char *tag;
  const unsigned char *texts;
} languages[] = {{"ar", ar}, {"de", de}, {"en", en}, {"es", es}, {"fr", fr}, {"ja", ja}, {"pt", pt}};
static const int count = sizeof languages / sizeof *languages;

const char *shim_texts(const char *tag) {
  for (int place = 0; place < count; place++)
    if (!strcmp(languages[place].tag, tag)) return (const char *)languages[place].texts;
  return 0;
}

const char *shim_language(int place) { return place < count ? languages[place].tag : 0; }
