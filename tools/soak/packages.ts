/** Packages that components of all kinds import; not all of them can be bundled, and some are removed from npm. */
export const PACKAGES = `
lodash lodash-es underscore ramda axios got ky node-fetch cross-fetch superagent uuid nanoid slug slugify
dayjs date-fns moment luxon moment-timezone ms pretty-ms humanize-duration chrono-node rrule cron-parser later
zod yup joi ajv superstruct valibot io-ts class-validator validator is-url is-email email-validator
libphonenumber-js qs query-string url-parse whatwg-url path-to-regexp semver compare-versions chalk kleur
picocolors ansi-colors strip-ansi wrap-ansi string-width cli-table3 marked markdown-it showdown remark unified
rehype turndown cheerio htmlparser2 parse5 domhandler css-select sanitize-html xss he entities html-entities
fast-xml-parser xml2js xml-js sax saxes js-yaml yaml toml ini json5 jsonc-parser csv-parse csv-stringify
papaparse fast-csv neat-csv rss-parser feedparser feed podcast ical.js ical-generator node-ical vcf jszip pako
fflate adm-zip tar-stream lz-string crypto-js tweetnacl jsonwebtoken jose bcryptjs md5 sha.js blakejs hash.js
object-hash base64-js base-x bs58 buffer iconv-lite utf8 he-js immutable immer mobx redux rxjs eventemitter3
events mitt p-limit p-queue p-retry p-map async bluebird bottleneck limiter retry promise-retry async-retry
debounce throttle-debounce memoizee lru-cache quick-lru node-cache fast-deep-equal deep-equal deepmerge
merge-deep clone-deep klona rfdc flat dot-prop object-path jsonpath jsonpath-plus jmespath json-diff deep-diff
fast-json-patch jsondiffpatch diff fuse.js fuzzy fast-levenshtein leven natural stopword stemmer compromise
sentiment franc title-case change-case camelcase decamelize pluralize inflection voca numeral big.js
bignumber.js decimal.js mathjs fraction.js simple-statistics ml-matrix currency.js accounting dinero.js
money-math chance casual random-words seedrandom color tinycolor2 chroma-js d3-array d3-scale d3-format
d3-time-format topojson-client turf-jsts geolib haversine geojson ngeohash h3-js proj4 mime mime-types mime-db
content-type content-disposition cookie tough-cookie set-cookie-parser form-data formdata-node basic-auth
auth-header oauth-1.0a oauth-sign ip ip-regex ipaddr.js cidr-tools is-ip user-agents ua-parser-js bowser tldts
psl normalize-url clean-url linkify-it linkifyjs handlebars mustache ejs nunjucks pug-runtime liquidjs eta doT
squirrelly i18next intl-messageformat polyglot.js globalize countries-list country-list i18n-iso-countries
iso-639-1 currency-codes world-countries stripe @slack/web-api @notionhq/client @octokit/rest @octokit/core
@sendgrid/mail mailgun.js postmark nodemailer twilio airtable asana @hubspot/api-client pipedrive contentful
shopify-api-node woocommerce-api squareup @mailchimp/mailchimp_marketing algoliasearch @supabase/supabase-js
openai @anthropic-ai/sdk cohere-ai replicate langchain tiktoken gpt-3-encoder telegraf node-telegram-bot-api
discord.js discord-api-types @line/bot-sdk viber-bot whatsapp-web.js intercom-client zendesk-node-api
freshdesk-api jira-client jira.js trello clickup.js monday-sdk-js @linear/sdk todoist
@doist/todoist-api-typescript googleapis-common google-auth-library @google-cloud/storage aws4 aws4fetch
@aws-sdk/client-s3 @aws-sdk/client-sns @aws-sdk/client-sqs @azure/core-rest-pipeline graphql graphql-request
graphql-tag @apollo/client urql socket.io-client ws mqtt redis ioredis pg mysql2 mongodb knex sequelize
typeorm firebase-admin mailparser imap imapflow smtp-server ssh2-sftp-client basic-ftp nodemailer-html-to-text
html-to-text juice mjml emailjs postal-mime pdf-lib pdfkit docx exceljs xlsx xlsx-populate node-xlsx
officeparser qrcode jsqr bwip-js barcodes jimp image-size exif-parser exifr music-metadata file-type is-png
read-chunk probe-image-size winston pino loglevel debug consola signale tslog bunyan roarr fp-ts effect
neverthrow ts-pattern purify-ts monet sanctuary folktale kefir most xstream bacon.js highland through2 pump
readable-stream concat-stream split2 ndjson stream-json JSONStream oboe is-plain-object is-number is-odd
kind-of type-fest isobject is-promise is-stream is-buffer array-union array-uniq arrify make-error
ts-custom-error verror http-errors http-status-codes statuses reserved-words similarity string-similarity
damerau-levenshtein soundex-code metaphone double-metaphone snowball-stemmers unorm latinize transliteration
diacritics speakingurl limax
`
  .trim()
  .split(/\s+/);
